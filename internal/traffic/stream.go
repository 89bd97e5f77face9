package traffic

import (
	"cmp"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"ratelab/internal/limit"
)

// Stream is the traffic of a whole scenario: its phases, one after the other.
type Stream struct {
	seed    uint64
	phases  []Phase
	crashes []Crash
	endless bool                 // its duration is unknown before a complete pass
	found   atomic.Pointer[Pass] // by the last complete pass; nil before it
}

// Pass holds what is known only after a complete pass over a stream.
type Pass struct {
	EndUS   int64    // end of the phases so far
	Count   int64    // requests
	Spread  int64    // requests that were given a place within their second
	FirstUS int64    // recording time of the last trace's first request, µs since 1970; 0: see Recorded
	LastUS  int64    // the same for its last request
	Formats []string // of the traces' files, without duplicates
	Notes   []string
}

// Compile makes the stream of the given phases. The stream depends only on its arguments and, for a trace, on the file.
// Each phase has its own random streams, derived from the seed and the phase's name.
func Compile(seed uint64, phases []Phase) *Stream {
	return &Stream{seed: seed, phases: slices.Clone(phases)}
}

// List returns a stream of existing requests, which must be in the order of time. Its duration is known at once if
// foreseen is set. Otherwise it is known after Requests was exhausted, as for a trace.
func List(requests []limit.Request, lasts time.Duration, foreseen bool) *Stream {
	return &Stream{phases: []Phase{{Duration: lasts, list: requests}}, endless: !foreseen}
}

// Crash is an instant at which some holders of open requests die.
type Crash struct {
	AtUS  int64                   // since the start
	Share float64                 // of the open requests
	Dies  func(number int64) bool // whether the holder of an open request dies; requests count from 0
}

// WithCrashes adds crashes, in the order of time, to s, and returns s.
func (s *Stream) WithCrashes(crashes []Crash) *Stream {
	s.crashes = crashes
	return s
}

// crash ends a request at the first crash in which its holder dies.
func (s *Stream) crash(q *limit.Request, number int64) {
	for _, c := range s.crashes {
		open := q.AtUS < c.AtUS && q.AtUS+q.TakesUS > c.AtUS
		if open && c.Dies(number) {
			q.TakesUS, q.Dies = c.AtUS-q.AtUS, true
			return
		}
	}
}

// Requests yields the requests in order. AtUS counts from the scenario's start. Each call starts again and yields the
// identical stream. After an error, which only a trace can cause, the stream ends.
func (s *Stream) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		p := player{Pass: &Pass{}, seed: s.seed, yield: yield, names: map[int64]*keyNames{}}
		if s.crashes != nil {
			p.yield = func(q limit.Request, err error) bool {
				s.crash(&q, p.Count-1)
				return yield(q, err)
			}
		}
		for _, phase := range s.phases {
			if !p.play(phase) {
				return
			}
		}
		s.found.Store(p.Pass)
	}
}

// last returns the result of the last complete pass. It is empty before the first one.
func (s *Stream) last() *Pass { return cmp.Or(s.found.Load(), &Pass{}) }

// Duration returns the sum of the phases' durations. A trace without a duration lasts until the end of the second (or
// microsecond, if it has fractions) of its last timestamp. That is known only after Requests was exhausted.
func (s *Stream) Duration() (d time.Duration, known bool) {
	for _, p := range s.phases {
		if s.endless || p.Trace != nil && p.Duration == 0 {
			return time.Duration(s.last().EndUS) * time.Microsecond, s.found.Load() != nil
		}
		d += p.Duration
	}
	return d, true
}

// Count returns the number of requests, for progress. If an arrival process is random, it is the mean until Requests
// was exhausted. With a trace, it is unknown until then.
func (s *Stream) Count() (n int64, known bool) {
	if found := s.found.Load(); found != nil {
		return found.Count, true
	}
	for _, p := range s.phases {
		if p.Trace != nil {
			return 0, false
		}
		n += p.Count()
	}
	return n, true
}

// Notes returns what a reader of the figures must know about the traces: what was guessed, spread or sorted. They are
// complete after Requests was exhausted, and empty before.
func (s *Stream) Notes() []string { return slices.Clone(s.last().Notes) }

// Spread returns the number of requests that were placed within their second, because the trace has only whole seconds.
// It is known after Requests was exhausted, and 0 before.
func (s *Stream) Spread() int64 { return s.last().Spread }

// Recorded returns when the first and the last request of a trace were recorded, in microseconds since 1970. Both are 0
// before Requests was exhausted. They are also 0 if requests are played at other times: with several phases, at another
// speed, or if the log has its own time origin.
func (s *Stream) Recorded() (firstUS, lastUS int64) {
	if p := s.last(); len(s.phases) == 1 {
		return p.FirstUS, p.LastUS
	}
	return 0, 0
}

// Formats returns the formats of the traces' files. They are known after Requests was exhausted, and nil before.
func (s *Stream) Formats() []string { return slices.Clone(s.last().Formats) }

// player is one pass over a stream.
type player struct {
	*Pass
	seed  uint64
	yield func(limit.Request, error) bool
	names map[int64]*keyNames // by the number of groups
}

// play yields the requests of one phase. It reports whether the next phase may follow.
func (p *player) play(phase Phase) (more bool) {
	switch {
	case phase.Trace != nil:
		return p.replay(phase)
	case phase.Arrivals == nil:
		return p.recite(phase)
	}
	nextRank := cmp.Or[Keys](phase.Keys, Uniform{Count: 1}).ranks(Random(p.seed, phase.Name, "keys"))
	nextCost := cmp.Or[Cost](phase.Cost, FixedCost(1)).draws(Random(p.seed, phase.Name, "cost"))
	var takes, actual func() int64
	if phase.Takes != nil {
		takes = phase.Takes.draws(Random(p.seed, phase.Name, "takes"))
	}
	if phase.Actual != nil {
		actual = phase.Actual.draws(Random(p.seed, phase.Name, "actual"))
	}
	names := p.names[phase.Groups]
	if names == nil {
		names = &keyNames{groups: phase.Groups}
		p.names[phase.Groups] = names
	}
	more = true
	phase.Arrivals.times(phase.Duration, Random(p.seed, phase.Name, "arrivals"), func(at int64) bool {
		p.Count++
		q := limit.Request{AtUS: p.EndUS + at, Key: names.of(nextRank()), Cost: nextCost()}
		if takes != nil {
			q.TakesUS = takes()
		}
		if actual != nil {
			q.Actual = actual()
		}
		if phase.Plus {
			q.Actual += q.Cost
		}
		more = p.yield(q, nil)
		return more
	})
	p.EndUS += phase.Duration.Microseconds()
	return more
}

// replay yields the requests of a trace.
func (p *player) replay(phase Phase) (more bool) {
	more = true
	err := phase.Trace.Play(phase.Duration, p.Pass, func(q limit.Request) bool {
		p.Count++
		q.AtUS += p.EndUS
		more = p.yield(q, nil)
		return more
	})
	if err != nil {
		p.yield(limit.Request{}, err)
	}
	return more && err == nil
}

// recite yields the requests of a list.
func (p *player) recite(phase Phase) (more bool) {
	for _, q := range phase.list {
		p.Count++
		if !p.yield(q, nil) {
			return false
		}
	}
	p.EndUS += phase.Duration.Microseconds()
	return true
}
