package tune

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
)

// Traffic is what settings are fitted to, and held out from that.
type Traffic struct {
	Streams []Stream // one log, or a scenario under several seeds
	StartUS int64    // the clock at the start of each, in µs since 1970

	// Fit is the share that settings are fitted on, between 0 and 1: of a single stream's time, or of several streams.
	Fit float64

	// Sample is which keys are played; nil: all.
	Sample *Sample
}

// Stream yields requests in the order of time, the same ones each time it is asked.
type Stream interface {
	Requests() iter.Seq2[limit.Request, error]
}

// part is what a request belongs to.
type part int

// The parts of the traffic.
const (
	fitted part = iota
	heldOut
	parts // how many there are
)

// TrafficError is traffic that could not be read to its end.
type TrafficError struct{ Err error }

func (e *TrafficError) Error() string { return e.Err.Error() }

func (e *TrafficError) Unwrap() error { return e.Err }

// Good says who the good users are: the others may be refused. The zero value is no choice.
type Good struct {
	Quantile float64         // all keys that use no more than this quantile of the keys does; 0: not so
	Keys     map[string]bool // these
	Pattern  *regexp.Regexp  // those that match
	Words    string          // how it was stated
}

// census is what the first pass over the traffic finds.
type census struct {
	traffic  *Traffic
	keys     *measure.KeySet
	uses     []int64 // by key: the cost of all its requests
	good     set
	most     int64 // that a good user uses, where a quantile says who is good
	people   int64 // the good
	requests int64
	cost     int64
	largest  int64 // cost of a request
	lastUS   int64
	firstUS  int64
	busiest  int64 // the largest cost of one key in one second of the clock
	spans    [parts]int64

	splitUS     int64 // the first time that is held out, of a single stream
	fitsStreams int   // of several streams
	seen        trail // of all requests

	// where keys are sampled
	counts []uint32 // by key: its requests
	drawn  set      // whom the hash draws
	strata *strata
	tally  *tally
	kept   kept
}

// take counts who is there. An error says in one line why nothing can be tuned.
func take(t *Traffic, good Good) (*census, error) {
	c := &census{traffic: t, keys: measure.NewKeySet(), firstUS: -1, kept: kept{most: mostKept}}
	seconds := slab[second]{width: 1}
	for _, stream := range t.Streams {
		for q, err := range stream.Requests() {
			if err != nil {
				return nil, &TrafficError{err}
			}
			c.add(q, good, &seconds)
		}
		seconds.clear()
	}
	c.seen.keys = c.keys.Count()
	if c.requests == 0 {
		return nil, errors.New("there are no requests in it")
	}
	if c.firstUS == c.lastUS {
		return nil, fmt.Errorf("all %s come at one instant: there is no rate in them to tune a limit for",
			message.Count(c.requests, "request"))
	}
	c.split()
	return c, c.choose(good)
}

// second is what a key asks for in the second of its last request.
type second struct{ number, cost int64 }

func (c *census) add(q limit.Request, good Good, seconds *slab[second]) {
	number := c.keys.Add(q.Key)
	if number == int64(len(c.uses)) {
		c.uses = append(c.uses, 0)
		if good.Keys[q.Key] || good.Pattern != nil && good.Pattern.MatchString(q.Key) {
			c.good.add(number)
			c.people++
		}
		if s := c.traffic.Sample; s != nil {
			c.counts = append(c.counts, 0)
			if s.draws(q.Key) {
				c.drawn.add(number)
			}
		}
	}
	if c.counts != nil && c.counts[number] < math.MaxUint32 {
		c.counts[number]++
	}
	c.seen.add(number, q.AtUS, q.Cost)
	c.uses[number] += q.Cost
	c.requests++
	c.cost += q.Cost
	c.largest = max(c.largest, q.Cost)
	c.lastUS = max(c.lastUS, q.AtUS)
	if c.firstUS < 0 || q.AtUS < c.firstUS {
		c.firstUS = q.AtUS
	}
	s := &seconds.row(number)[0]
	if at := q.AtUS / 1_000_000; at != s.number {
		*s = second{number: at}
	}
	s.cost += q.Cost
	c.busiest = max(c.busiest, s.cost)
}

// split says where the fitted part ends.
func (c *census) split() {
	streams := len(c.traffic.Streams)
	if streams > 1 {
		c.fitsStreams = min(max(1, int(c.traffic.Fit*float64(streams))), streams-1)
		c.spans = [parts]int64{c.lastUS + 1, c.lastUS + 1}
		return
	}
	c.splitUS = int64(c.traffic.Fit * float64(c.lastUS+1))
	c.spans = [parts]int64{c.splitUS, c.lastUS + 1 - c.splitUS}
}

// choose finds the good users where a quantile says who they are.
func (c *census) choose(good Good) error {
	if good.Quantile > 0 {
		sorted := slices.Clone(c.uses)
		slices.Sort(sorted)
		c.most = quantile(sorted, good.Quantile)
		for number, use := range c.uses {
			if use <= c.most {
				c.good.add(int64(number))
				c.people++
			}
		}
	}
	if c.people == 0 {
		return fmt.Errorf("none of the %s is a good user by %s", message.Count(c.keys.Count(), "key"), good.Words)
	}
	return nil
}

// quantile is the smallest of the sorted values that is not exceeded by at least the share of them.
func quantile(sorted []int64, share float64) int64 {
	rank := int(share * float64(len(sorted)))
	if float64(rank) < share*float64(len(sorted))-1e-9 { // 0.9 · 10 is 9
		rank++
	}
	return sorted[max(rank, 1)-1]
}

// isGood reports whether a key is a good user's. Where keys are sampled it has its number among those that are taken.
func (c *census) isGood(number int64) bool {
	if c.strata != nil {
		return c.strata.good.has(number)
	}
	return c.good.has(number)
}

// moment is a request, whose it is and where it belongs.
type moment struct {
	limit.Request
	number int64 // of the key, where keys are sampled among those that are taken
	part   part
}

// trail is what tells one pass over the traffic from another: how many requests there are, of how many keys, and a sum
// in which every one of them, and their order, counts.
type trail struct {
	requests, keys int64
	sum            uint64
}

func (t *trail) add(number, atUS, cost int64) {
	t.requests++
	x := t.sum ^ uint64(number)*0x9e3779b97f4a7c15 ^ uint64(atUS)*0xbf58476d1ce4e5b9 ^ uint64(cost)*0x94d049bb133111eb
	t.sum = (x ^ x>>29) * 0xd6e8feb86659fd93 // odd, so that no difference is lost
}

// ChangedError is traffic that a later pass finds to be another one.
type ChangedError struct {
	Name      string
	then, now int64 // requests
}

func (e *ChangedError) Error() string {
	found := fmt.Sprintf("the next pass found %d", e.now)
	if e.now == e.then {
		found = "the next pass found as many, but others"
	}
	return fmt.Sprintf("%s: has changed while it was read: the first pass found %s, %s; want a log that nobody writes "+
		"to, such as a copy", e.Name, message.Count(e.then, "request"), found)
}

// play hands on all requests of the keys that are played. Before those that meet limiters which remember nothing it
// calls rest, with the part that has just ended; and once more at the end. The first such pass keeps the requests, and
// of sampled keys it counts what all keys have.
func (c *census) play(visit func(moment) error, rest func(part) error) error {
	switch {
	case c.kept.complete:
		return c.kept.play(visit, rest)
	case c.kept.tooMany:
		return c.read(visit, rest)
	}
	err := c.read(func(m moment) error {
		c.kept.add(m)
		return visit(m)
	}, func(p part) error {
		c.tally.rest(p)
		c.kept.rest(p)
		return rest(p)
	})
	if err != nil {
		return err
	}
	c.kept.complete = !c.kept.tooMany
	return c.tally.end(c.isGood)
}

// sampled is the number of a request's key among those that are taken, −1 where it is not one of them.
func (c *census) sampled(q limit.Request, number int64, p part) int64 {
	place := int64(c.strata.places[number])
	if place >= 0 && c.strata.names[place] == "" {
		c.strata.names[place] = strings.Clone(q.Key) // without the line that it is part of
	}
	if !c.tally.done {
		light := place < 0 || c.strata.light.has(place)
		c.tally.add(q, number, place, light, c.good.has(number), p)
	}
	return place
}

// read is a pass over the traffic, which must be as it was.
func (c *census) read(visit func(moment) error, rest func(part) error) error {
	var seen trail
	for i, stream := range c.traffic.Streams {
		now := fitted
		if len(c.traffic.Streams) > 1 && i >= c.fitsStreams {
			now = heldOut
		}
		for q, err := range stream.Requests() {
			if err != nil {
				return &TrafficError{err}
			}
			if len(c.traffic.Streams) == 1 && now == fitted && q.AtUS >= c.splitUS {
				if err := rest(fitted); err != nil {
					return err
				}
				now = heldOut
			}
			number := c.keys.Add(q.Key)
			seen.add(number, q.AtUS, q.Cost)
			if number >= c.seen.keys {
				continue // it was not there before, as is said at the end
			}
			m := moment{q, number, now}
			if c.strata != nil {
				if m.number = c.sampled(q, number, now); m.number < 0 {
					continue
				}
				m.Key = c.strata.names[m.number]
			}
			if err := visit(m); err != nil {
				return err
			}
		}
		if err := rest(now); err != nil {
			return err
		}
	}
	if seen.keys = c.keys.Count(); seen != c.seen {
		return &ChangedError{then: c.seen.requests, now: seen.requests}
	}
	return nil
}

// surveyed is the curves of both parts: as they are of the keys that are played, of these the heavy ones and the ones
// drawn, and as they are estimated of all. Where nothing is sampled all keys are heavy.
type surveyed struct{ played, heavy, light, all [parts]*Curves }

// survey makes curves of both parts in one pass. They follow each other, so that the state of keys is there once.
func (c *census) survey(grid *grid) (*surveyed, error) {
	s := newSurvey(c.traffic.StartUS, grid.lengths, grid.rates, c.isGood)
	if c.strata != nil {
		s.light = c.strata.light
	}
	found := &surveyed{}
	var halves [parts]*findings
	now := fitted
	err := c.play(func(m moment) error {
		if m.part != now {
			halves[now] = s.take()
			now = m.part
		}
		s.add(m.number, m.AtUS, m.Cost)
		return nil
	}, func(part) error {
		s.rest()
		return nil
	})
	if err != nil {
		return nil, err
	}
	halves[now] = s.take()
	for p := range found.played {
		half := halves[p]
		if half == nil {
			half = s.take() // nobody is in it
		}
		found.played[p] = half.curves()
		found.all[p] = found.played[p]
		if c.strata != nil {
			found.heavy[p], found.light[p] = half.of(0).curves(), half.of(1).curves()
			found.all[p] = half.scaled(c.tally.scale(part(p)))
		}
		found.all[p].Span = time.Duration(c.spans[p]) * time.Microsecond
	}
	return found, nil
}
