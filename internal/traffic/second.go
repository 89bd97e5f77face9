package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// maxPerSecond bounds how many entries of one second are held to be spread.
const maxPerSecond = 1 << 20

const secondUS = 1_000_000

// spreader applies a WithinSecond rule: it holds the entries of one whole second until the next one begins.
type spreader struct {
	rule   WithinSecond
	random *rand.Rand
	held   []entry
	spread int64 // entries that were given a place within their second
	places []int64
}

// add takes the next entry in time and hands on what is settled, in time order; emit says whether to go on.
func (s *spreader) add(e entry, emit func(entry) bool) (more bool, err error) {
	if len(s.held) > 0 && (!e.whole || e.at != s.held[0].at) {
		// A fraction in the same second tells that the file's clock is finer than a second, and that the entries
		// held are at its start indeed.
		finer := !e.whole && e.at-s.held[0].at < secondUS
		if !s.flush(emit, finer) {
			return false, nil
		}
	}
	if !e.whole || s.rule == AtStart {
		return emit(e), nil
	}
	if len(s.held) >= maxPerSecond {
		return false, fmt.Errorf("more than %s requests carry the same second; want finer timestamps, or "+
			"within_second: at_once", grouped(maxPerSecond))
	}
	s.held = append(s.held, e)
	return true, nil
}

// flush hands on the entries held: spread over their second, or as they are.
func (s *spreader) flush(emit func(entry) bool, asTheyAre bool) bool {
	n := int64(len(s.held))
	s.places = s.places[:0]
	for i := range n {
		switch {
		case asTheyAre:
			s.places = append(s.places, 0)
		case s.rule == AtRand:
			s.places = append(s.places, s.random.Int64N(secondUS))
		default:
			s.places = append(s.places, i*secondUS/n)
		}
	}
	slices.Sort(s.places)
	if !asTheyAre {
		s.spread += n
	}
	for i, e := range s.held {
		e.at += s.places[i]
		if !emit(e) {
			return false
		}
	}
	s.held = s.held[:0]
	return true
}
