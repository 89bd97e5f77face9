package replay

import (
	"context"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// defaultBatch is large enough that a server's pipeline fills, and small enough that a lane's memory stays in the
// processor's cache.
const defaultBatch = 16384

// batch is shared by all lanes, and read only once it is delivered.
type batch struct {
	requests []limit.Request
	exact    []bool  // what the reference decided
	numbers  []int64 // of the keys
}

// source takes the requests of some keys, once for all lanes: it lets the reference decide and counts what was offered.
type source struct {
	options   Options
	policy    limit.Policy
	reference measure.Reference
	traffic   *measure.TrafficMeter
	keys      *measure.KeySet
	offered   measure.Ledger // only where fairness is measured
	names     []string       // of the keys by number, where fairness is measured; nil when there are too many

	requests chan []limit.Request
	workers  []*worker
}

func newSource(p limit.Policy, duration time.Duration, o Options) *source {
	s := &source{
		options:   o,
		policy:    p,
		reference: measure.NewReference(p, duration),
		traffic:   measure.NewTrafficMeter(duration),
		keys:      measure.NewKeySet(),
		requests:  make(chan []limit.Request, 1),
	}
	s.reference.Begin(o.From)
	s.traffic.Begin(o.From)
	return s
}

// work takes batches until there are no more, and hands them on to every lane.
func (s *source) work(ctx context.Context) error {
	defer func() {
		for _, w := range s.workers {
			close(w.batches)
		}
	}()
	for requests := range s.requests {
		b := s.judge(requests)
		for _, w := range s.workers {
			select {
			case w.batches <- b:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// judge is a batch with what the reference decides.
func (s *source) judge(requests []limit.Request) *batch {
	b := &batch{requests, make([]bool, len(requests)), make([]int64, len(requests))}
	for i, q := range requests {
		number := s.number(q)
		b.exact[i], b.numbers[i] = s.reference.Admit(q, number), number
		s.traffic.Observe(q)
	}
	return b
}

// number is the key's, once for all lanes. Where fairness is measured it notes the name and what is offered.
func (s *source) number(q limit.Request) int64 {
	number := s.keys.Add(q.Key)
	if !s.options.Fairness {
		return number
	}
	switch {
	case number >= measure.MaxFairKeys:
		s.names = nil
	case number == int64(len(s.names)) && s.keys.Count() == number+1:
		s.names = append(s.names, q.Key)
	}
	if s.names != nil {
		s.offered.Add(number, q.Cost)
	}
	return number
}

// part is what the source and its lanes found, of traffic that comes to all.
func (s *source) part(all Whole) (*Part, error) {
	keys, duration := s.keys.Count(), time.Duration(all.DurationUS)*time.Microsecond
	reach := max(s.options.Reach, all.LastUS)
	p := &Part{All: all, Keys: keys}
	s.traffic.Reach(reach)
	p.Traffic = s.traffic.Traffic(duration)
	s.reference.Reach(reach)
	var err error
	if p.Reference, err = s.reference.Tally(duration, nil); err != nil {
		return nil, fmt.Errorf("exact reference: %w", err)
	}
	for _, w := range s.workers {
		w.meter.Reach(reach)
		t, err := w.tally(duration, s)
		if err != nil {
			return nil, &LaneError{w.lane.Label, err}
		}
		p.Lanes = append(p.Lanes, t)
		p.partial = p.partial || w.stopped
	}
	return p, nil
}
