package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
)

// batch is shared by all rows. It is read-only.
type batch struct {
	requests []limit.Request
	exact    []bool         // whether the reference admits each request
	numbers  []int64        // the numbers of the keys
	views    []measure.View // for each request, its views of all limits; nil: there is one limit
}

// of returns the views of request i: the request as each of several limits sees it.
func (b *batch) of(i int) []measure.View {
	n := len(b.views) / len(b.requests)
	return b.views[i*n : (i+1)*n]
}

// source handles the requests of some keys for all rows. The reference decides each request once, and the request is
// counted.
type source struct {
	options   Options
	policy    limit.Policy
	duration  time.Duration
	reference measure.Reference
	keys      *measure.KeySet
	// the names of the keys by number, if fairness is measured; nil: there are too many keys
	names  []string
	limits *measure.LimitMeters // of the reference; nil: there is one limit
	parts  []*measure.KeySet    // the keys of each of several limits

	pending  []limit.Request // collected by the reader, not yet sent
	requests chan []limit.Request
	workers  []*worker
}

// worker lets a row decide the batches of a source, and measures the decisions.
type worker struct {
	row       Row
	meter     *measure.Meter
	batches   chan *batch
	decisions []limit.Decision
	turn      chan struct{}
	counted   func(*limit.Request) int64 // as source.counted
	limits    *measure.LimitMeters       // nil: there is one limit
	stopped   bool
	unseen    measure.Ledger // the cost that the reference admits after the row has stopped
}

func newSource(p limit.Policy, duration time.Duration, o Options) *source {
	s := &source{options: o, policy: p, duration: duration, reference: measure.NewReference(p, duration),
		keys: measure.NewKeySet(), requests: make(chan []limit.Request, 1)}
	if o.Limits != nil {
		s.limits = measure.NewLimitMeters(o.Limits, duration, false)
	}
	for range o.Limits {
		s.parts = append(s.parts, measure.NewKeySet())
	}
	return s
}

// worker adds a worker for a row. The options determine what it measures.
func (s *source) worker(row Row, turn chan struct{}) *worker {
	w := &worker{row: row, counted: s.counted, meter: measure.NewMeter(s.policy, s.duration), turn: turn,
		batches: make(chan *batch, 2)}
	if s.options.Scales != nil {
		w.meter.WatchScales(s.options.Scales)
	}
	if s.limits != nil {
		w.limits = measure.NewLimitMeters(s.options.Limits, s.duration, s.options.LimitScales)
	}
	s.workers = append(s.workers, w)
	return w
}

// work sends each batch to each row.
func (s *source) work(ctx context.Context) error {
	defer func() {
		for _, w := range s.workers {
			close(w.batches)
		}
	}()
	for requests := range s.requests {
		b := &batch{requests: requests, exact: make([]bool, len(requests)), numbers: make([]int64, len(requests))}
		if err := s.view(b); err != nil {
			return err
		}
		for i, q := range requests {
			q.Cost = s.counted(&q)
			b.numbers[i] = s.number(q)
			if s.limits == nil {
				b.exact[i] = s.reference.Admit(q, b.numbers[i])
				continue
			}
			d := s.limits.Exact(b.of(i))
			s.limits.Observe(b.of(i), q.Cost, d)
			s.reference.Decided(q, b.numbers[i], d)
			b.exact[i] = d.Allowed()
		}
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

// view adds the views of several limits to a batch. The error is an *InputError about a key.
func (s *source) view(b *batch) error {
	for _, q := range b.requests {
		for i, l := range s.options.Limits {
			view, err := l.View(q)
			if err != nil {
				return &InputError{err}
			}
			b.views = append(b.views, measure.View{Request: view, Number: s.parts[i].Add(view.Key)})
		}
	}
	return nil
}

// counted returns the cost of q that the policy counts: as it is known at the end, or 1 in flight.
func (s *source) counted(q *limit.Request) int64 {
	if s.policy.Contract == limit.ByFlight {
		return 1
	}
	return q.Spent()
}

// number returns the number of q's key. If fairness is measured, it also records the key's name.
func (s *source) number(q limit.Request) int64 {
	number := s.keys.Add(q.Key)
	if s.options.Scales == nil {
		return number
	}
	switch {
	case number >= measure.MaxFairKeys:
		s.names = nil
	case number == int64(len(s.names)) && s.keys.Count() == number+1:
		s.names = append(s.names, q.Key)
	}
	return number
}

// part returns the result for the source's keys. All series are at least as long as reach, in µs.
func (s *source) part(all Whole, reach int64) (*Part, error) {
	duration := time.Duration(all.DurationUS) * time.Microsecond
	p := &Part{All: all, Keys: s.keys.Count()}
	s.reference.Reach(reach)
	var counts []int64
	for _, keys := range s.parts {
		counts = append(counts, keys.Count())
	}
	var err error
	if p.Reference, err = s.reference.Tally(duration, nil, nil); err == nil && s.limits != nil {
		err = s.limits.Complete(p.Reference, nil, duration, reach, counts)
	}
	if err != nil {
		return nil, fmt.Errorf("exact reference: %w", err)
	}
	p.Traffic = s.reference.Traffic()
	for _, w := range s.workers {
		w.meter.Reach(reach)
		exact := s.reference.Admitted()
		if w.stopped {
			exact = exact.Less(&w.unseen)
		}
		t, err := w.meter.Tally(duration, exact, s.reference.Rejected())
		if err == nil && s.limits != nil {
			err = w.limits.Complete(t, s.limits, duration, reach, counts)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.row.Label, err)
		}
		if s.options.Scales != nil && int64(len(s.names)) == s.keys.Count() {
			t.Served = measure.NewServed(exact, w.meter.Admitted(), s.names)
		}
		p.Rows = append(p.Rows, t)
		p.partial = p.partial || w.stopped
	}
	return p, nil
}

// work decides each batch. After the row has stopped, it only records what the reference admits.
func (w *worker) work(ctx context.Context) error {
	for b := range w.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !w.stopped {
			err := w.decide(ctx, b)
			if w.stopped = errors.Is(err, message.ErrInterrupted); err != nil && !w.stopped {
				return Named(w.row.Label, err)
			}
		}
		for i := 0; w.stopped && i < len(b.requests); i++ {
			if b.exact[i] {
				w.unseen.Add(b.numbers[i], w.counted(&b.requests[i]))
			}
			if b.exact[i] && w.limits != nil {
				w.limits.Unseen(b.of(i), b.requests[i].Cost)
			}
		}
	}
	return nil
}

func (w *worker) decide(ctx context.Context, b *batch) error {
	if n := len(b.requests); n > len(w.decisions) {
		w.decisions = make([]limit.Decision, n)
	}
	decisions := w.decisions[:len(b.requests)]
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.turn }()
	if err := w.row.Decider.Decide(ctx, b.requests, decisions); err != nil {
		return err
	}
	for i, q := range b.requests {
		q.Cost = w.counted(&q)
		w.meter.Observe(q, b.numbers[i], decisions[i])
		if w.limits != nil {
			w.limits.Observe(b.of(i), q.Cost, decisions[i])
		}
	}
	if w.row.Observe != nil {
		return w.row.Observe(b.requests, decisions)
	}
	return nil
}
