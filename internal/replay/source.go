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
	numbers  []int64 // of the keys; only where fairness is measured
}

// source reads the traffic once, for everybody: it lets the reference decide and counts what was offered.
type source struct {
	options   Options
	reference *measure.Reference
	meter     *measure.Meter // of the reference
	traffic   *measure.TrafficMeter
	keys      *measure.KeySet
	names     []string // of the keys by number, where fairness is measured; nil when there are too many
	lastUS    int64
	largest   int64 // cost
	partial   bool
}

func newSource(p limit.Policy, duration time.Duration, o Options) *source {
	return &source{
		options:   o,
		reference: measure.NewReference(p),
		meter:     measure.NewMeter(p, duration),
		traffic:   measure.NewTrafficMeter(duration),
		keys:      measure.NewKeySet(),
	}
}

// read hands the traffic on in batches, until it ends, deliver fails, or it is told to stop.
func (s *source) read(traffic Traffic, deliver func(*batch) error) error {
	b := s.newBatch()
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
			b = s.newBatch()
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

func (s *source) newBatch() *batch {
	return &batch{requests: make([]limit.Request, 0, s.options.Batch), exact: make([]bool, 0, s.options.Batch)}
}

func (s *source) add(b *batch, q limit.Request) {
	exact := s.reference.Admit(q)
	d := limit.Decision{Verdict: limit.Rejected}
	if exact {
		d.Verdict = limit.Allowed
	}
	s.meter.Observe(q, d, exact)
	s.traffic.Observe(q)
	s.number(b, q.Key)
	s.lastUS, s.largest = q.AtUS, max(s.largest, q.Cost)
	b.requests = append(b.requests, q)
	b.exact = append(b.exact, exact)
}

// number counts the key, and where fairness is measured notes its number once for all lanes.
func (s *source) number(b *batch, key string) {
	number := s.keys.Add(key)
	if !s.options.Fairness {
		return
	}
	b.numbers = append(b.numbers, number)
	switch {
	case number >= measure.MaxFairKeys:
		s.names = nil
	case number == int64(len(s.names)) && s.keys.Count() == number+1:
		s.names = append(s.names, key)
	}
}

func (s *source) progress(requests int64) {
	if s.options.Progress != nil {
		s.options.Progress(requests)
	}
}
