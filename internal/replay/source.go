package replay

import (
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/waiting"
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

// source reads the traffic once, for everybody: it lets the reference decide and counts what was offered.
type source struct {
	options   Options
	policy    limit.Policy
	reference *measure.Reference
	meter     *measure.Meter // of the reference
	traffic   *measure.TrafficMeter
	keys      *measure.KeySet
	offered   measure.Ledger // only where fairness is measured
	names     []string       // of the keys by number, where fairness is measured; nil when there are too many
	lastUS    int64
	largest   int64 // cost
	partial   bool
}

func newSource(p limit.Policy, duration time.Duration, o Options) *source {
	s := &source{
		options:   o,
		policy:    p,
		reference: measure.NewReference(p),
		meter:     measure.NewMeter(p, duration),
		traffic:   measure.NewTrafficMeter(duration),
		keys:      measure.NewKeySet(),
	}
	s.meter.Begin(o.From)
	s.traffic.Begin(o.From)
	return s
}

// read hands the traffic on in batches, until it ends, deliver fails, or it is told to stop.
func (s *source) read(traffic Traffic, deliver func(*batch) error) error {
	b := newBatch(0)
	var count int64
	for q, err := range traffic.Requests() {
		if err != nil {
			return &TrafficError{err}
		}
		if s.full(b, q) {
			if err := deliver(b); err != nil {
				return err
			}
			count += int64(len(b.requests))
			s.progress(count)
			b = newBatch(len(b.requests))
			if waiting.Closed(s.options.Stop) {
				s.partial = true
				return nil
			}
		}
		s.add(b, q)
	}
	if len(b.requests) == 0 {
		return nil
	}
	if err := deliver(b); err != nil {
		return err
	}
	s.progress(count + int64(len(b.requests)))
	return nil
}

// full reports whether next belongs to another batch.
func (s *source) full(b *batch, next limit.Request) bool {
	n := len(b.requests)
	if n == s.options.Batch {
		return true
	}
	span := s.options.Span.Microseconds()
	return n > 0 && span > 0 && next.AtUS-b.requests[0].AtUS > span
}

// newBatch has room for n requests, as many as the batch before it had: where a span of time bounds them, most are
// small.
func newBatch(n int) *batch {
	return &batch{requests: make([]limit.Request, 0, n), exact: make([]bool, 0, n), numbers: make([]int64, 0, n)}
}

func (s *source) add(b *batch, q limit.Request) {
	exact := s.reference.Admit(q)
	d := limit.Decision{Verdict: limit.Rejected}
	if exact {
		d.Verdict = limit.Allowed
	}
	number := s.number(q)
	s.meter.Observe(q, number, d, exact)
	s.traffic.Observe(q)
	s.lastUS, s.largest = q.AtUS, max(s.largest, q.Cost)
	b.requests = append(b.requests, q)
	b.exact = append(b.exact, exact)
	b.numbers = append(b.numbers, number)
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

func (s *source) progress(requests int64) {
	if s.options.Progress != nil {
		s.options.Progress(requests)
	}
}
