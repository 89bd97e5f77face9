package load

import "time"

// Silence is a time in which a server was asked and answered nobody.
type Silence struct {
	At     time.Time     // when it began, by the wall clock
	Lasted time.Duration // without what the generator itself stood still meanwhile; 0 is no silence
}

// span is a stretch of a run's time.
type span struct{ from, to time.Duration }

// shared is how much of s other has too.
func (s span) shared(other span) time.Duration {
	return max(0, min(s.to, other.to)-max(s.from, other.from))
}

// silent is how long s was a silence of the server: the generator could hear nothing while it stood still itself.
func (s span) silent(stalls []span) time.Duration {
	d := s.to - s.from
	for _, stall := range stalls {
		d -= s.shared(stall)
	}
	return d
}

// waited says for each millisecond of a run how long the replies that came in it had been waited for: one more than the
// longest of these times, in milliseconds, and 0 where no reply came. An hour takes 14 MB.
//
// Note: the longest service time of a connection would be simpler, and says nothing of the server: of a thousand
// connections each waits for all others, and a lost packet silences one of them.
type waited []uint32

const millisecond = time.Millisecond

// note takes a call, warming up or not.
func (w *waited) note(s *sample) {
	if s.replied < 0 {
		return
	}
	at := int(s.replied / millisecond)
	for len(*w) <= at {
		*w = append(*w, 0)
	}
	took := 1 + uint32((s.replied-max(s.written, 0))/millisecond)
	(*w)[at] = max((*w)[at], took)
}

// silences are the times of more than MostSilence, to the millisecond, in which calls were under way and none was
// answered: from the reply before, or the call that waited longest if it was written later.
func (w waited) silences() []span {
	var all []span
	last, most := 0, int(MostSilence/millisecond)
	for at, took := range w {
		if took == 0 {
			continue
		}
		if at-last > most {
			if from := max(last, w.oldest(at, at+most)); at-from > most {
				all = append(all, span{time.Duration(from) * millisecond, time.Duration(at) * millisecond})
			}
		}
		last = at
	}
	return all
}

// oldest is when the first call was written of those that were answered from a millisecond on until another: a server
// that wakes up does not answer in the order of asking.
func (w waited) oldest(from, until int) int {
	first := from
	for at := from; at < min(until, len(w)); at++ {
		if w[at] > 0 {
			first = min(first, at+1-int(w[at]))
		}
	}
	return first
}

// silence is the longest of a run; start is when what counts began, and stalls are the generator's own.
func (w waited) silence(clock Stopwatch, start time.Duration, stalls []span) Silence {
	var longest Silence
	for _, s := range w.silences() {
		s.from, s.to = s.from+start, s.to+start
		if d := s.silent(stalls); d > MostSilence && d > longest.Lasted {
			longest = Silence{clock.Origin.Add(s.from), d}
		}
	}
	return longest
}
