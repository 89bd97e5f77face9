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
	exact    []bool  // the decisions of the reference
	numbers  []int64 // the numbers of the keys
}

// source handles the requests of some keys, once for all rows: the reference decides them, and they are counted.
type source struct {
	options   Options
	policy    limit.Policy
	duration  time.Duration
	reference measure.Reference
	keys      *measure.KeySet
	names     []string // the names of the keys by number, if fairness is measured; nil if there are too many

	pending  []limit.Request // collected by the reader, not yet sent
	requests chan []limit.Request
	workers  []*worker
}

// worker lets one row decide its source's batches, and measures the decisions.
type worker struct {
	row       Row
	meter     *measure.Meter
	batches   chan *batch
	decisions []limit.Decision
	turn      chan struct{}
	stopped   bool
	unseen    measure.Ledger // the cost that the reference admits after the row has stopped
}

func newSource(p limit.Policy, duration time.Duration, o Options) *source {
	return &source{options: o, policy: p, duration: duration, reference: measure.NewReference(p, duration),
		keys: measure.NewKeySet(), requests: make(chan []limit.Request, 1)}
}

// worker adds a worker for a row, with the measures that the options and the row ask for.
func (s *source) worker(row Row, turn chan struct{}) *worker {
	w := &worker{row: row, meter: measure.NewMeter(s.policy, s.duration), turn: turn,
		batches: make(chan *batch, 2)}
	if s.options.Scales != nil {
		w.meter.WatchScales(s.options.Scales)
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
		b := &batch{requests, make([]bool, len(requests)), make([]int64, len(requests))}
		for i, q := range requests {
			b.numbers[i] = s.number(q)
			b.exact[i] = s.reference.Admit(q, b.numbers[i])
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
	var err error
	if p.Reference, err = s.reference.Tally(duration, nil, nil); err != nil {
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
				w.unseen.Add(b.numbers[i], b.requests[i].Cost)
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
		w.meter.Observe(q, b.numbers[i], decisions[i])
	}
	if w.row.Observe != nil {
		return w.row.Observe(b.requests, decisions)
	}
	return nil
}
