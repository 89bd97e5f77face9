package traffic

import (
	"iter"
	"slices"
	"sync"
	"time"

	"ratelab/internal/limit"
)

// Stream is the traffic of a whole scenario: its phases, one after the other.
type Stream struct {
	seed   uint64
	phases []Phase

	mu     sync.Mutex
	played *outcome // what the last complete pass found; nil before it
}

// outcome is what only a complete pass over the traces can know.
type outcome struct {
	durationUS int64
	count      int64
	spread     int64
	notes      []string
}

// Compile makes the stream of the given phases. The stream depends on nothing but its arguments and, for a
// trace, the file. Each phase draws from its own random streams, derived from the seed and the phase's name.
func Compile(seed uint64, phases []Phase) *Stream {
	return &Stream{seed: seed, phases: slices.Clone(phases)}
}

// Requests yields the requests in order, AtUS counted from the scenario's start. Each call starts afresh and
// yields the identical stream. After an error, which only a trace can cause, nothing follows.
func (s *Stream) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		p := player{seed: s.seed, yield: yield}
		for _, phase := range s.phases {
			if !p.play(phase) {
				return
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.played = &outcome{durationUS: p.startUS, count: p.count, spread: p.spread, notes: p.notes}
	}
}

// Duration is the sum of the phases' durations. A trace without a duration lasts until its last timestamp's
// second (or microsecond, where it has fractions) is over; that is known only after Requests was exhausted.
func (s *Stream) Duration() (d time.Duration, known bool) {
	for _, p := range s.phases {
		if p.Trace != nil && p.Duration == 0 {
			if o := s.outcome(); o != nil {
				return time.Duration(o.durationUS) * time.Microsecond, true
			}
			return 0, false
		}
		d += p.Duration
	}
	return d, true
}

// Count is the number of requests, for showing progress: exact, or the mean where an arrival process is
// random and Requests was not yet exhausted. It is unknown before that if there is a trace.
func (s *Stream) Count() (n int64, known bool) {
	if o := s.outcome(); o != nil {
		return o.count, true
	}
	for _, p := range s.phases {
		if p.Trace != nil {
			return 0, false
		}
		n += p.Arrivals.Count(p.Duration)
	}
	return n, true
}

// Notes tells what a reader of the figures must know about the traces: what was guessed, spread or sorted.
// They are complete after Requests was exhausted, and empty before.
func (s *Stream) Notes() []string {
	if o := s.outcome(); o != nil {
		return slices.Clone(o.notes)
	}
	return nil
}

// Spread is how many requests were given a place within their second, which a trace does not say. It is known after
// Requests was exhausted, and 0 before.
func (s *Stream) Spread() int64 {
	if o := s.outcome(); o != nil {
		return o.spread
	}
	return 0
}

func (s *Stream) outcome() *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.played
}

// player is one pass over a stream.
type player struct {
	seed    uint64
	yield   func(limit.Request, error) bool
	startUS int64 // of the current phase
	count   int64
	names   keyNames
	spread  int64
	notes   []string
}

// play yields one phase; it reports whether the next may follow.
func (p *player) play(phase Phase) bool {
	if phase.Trace != nil {
		return p.replay(phase)
	}
	if !p.generate(phase) {
		return false
	}
	p.startUS += phase.Duration.Microseconds()
	return true
}

func (p *player) generate(phase Phase) bool {
	keys, cost := phase.Keys, phase.Cost
	if keys == nil {
		keys = Uniform{Count: 1}
	}
	if cost == nil {
		cost = FixedCost(1)
	}
	nextRank := keys.Ranks(Random(p.seed, phase.Name, "keys"))
	nextCost := cost.Draws(Random(p.seed, phase.Name, "cost"))
	for at := range phase.Arrivals.Times(phase.Duration, Random(p.seed, phase.Name, "arrivals")) {
		p.count++
		if !p.yield(limit.Request{AtUS: p.startUS + at, Key: p.names.of(nextRank()), Cost: nextCost()}, nil) {
			return false
		}
	}
	return true
}
