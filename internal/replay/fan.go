package replay

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// fan delivers each batch to every lane; each lane works through them in its own goroutine.
type fan struct {
	ctx     context.Context
	group   *errgroup.Group
	workers []*worker
}

type worker struct {
	lane      Lane
	meter     *measure.Meter
	batches   chan *batch
	decisions []limit.Decision
	turn      chan struct{} // held while deciding; nil: no bound
	stopped   bool
	unseen    measure.Ledger // what the reference admits of what came after a lane stopped
}

func newFan(ctx context.Context, p limit.Policy, duration time.Duration, lanes []Lane, o Options) *fan {
	group, ctx := errgroup.WithContext(ctx)
	f := &fan{ctx: ctx, group: group}
	var turn chan struct{}
	if o.Parallel > 0 {
		turn = make(chan struct{}, o.Parallel)
	}
	for _, lane := range lanes {
		w := &worker{
			lane:      lane,
			meter:     measure.NewMeter(p, duration),
			batches:   make(chan *batch, 2),
			decisions: make([]limit.Decision, o.Batch),
			turn:      turn,
		}
		w.watch(o)
		f.workers = append(f.workers, w)
		group.Go(func() error { return w.work(ctx) })
	}
	return f
}

// watch makes the worker measure what the options and its lane ask for.
func (w *worker) watch(o Options) {
	w.meter.Begin(o.From)
	if o.Scales != nil {
		w.meter.WatchScales(o.Scales)
	}
	if w.lane.Counts {
		w.meter.WatchRate()
	}
}

// outcome is what the worker's lane did with what src read.
func (w *worker) outcome(r measure.Result, src *source) LaneOutcome {
	account := measure.Account{Offered: &src.offered, Exact: w.exact(src), Within: w.meter.Within(),
		Excess: w.meter.Excess()}
	return LaneOutcome{Result: r, Series: w.meter.Series(), MostAdmitted: w.meter.MostAdmitted(),
		RateDifference: w.meter.RateDifference(), Shaping: w.meter.Shaping(),
		Fairness: account.Fairness(src.names, src.policy.Requests)}
}

// deliver gives b to every lane; its error is the context's, which also ends when a lane fails.
func (f *fan) deliver(b *batch) error {
	for _, w := range f.workers {
		select {
		case w.batches <- b:
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
	}
	return nil
}

// finish waits for the lanes to work off what was delivered, and gives the first error.
func (f *fan) finish() error {
	for _, w := range f.workers {
		close(w.batches)
	}
	return f.group.Wait()
}

func (w *worker) work(ctx context.Context) error {
	for b := range w.batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.stopped {
			w.miss(b)
			continue
		}
		err := w.decide(ctx, b)
		if w.stopped = errors.Is(err, ErrStopped); w.stopped {
			w.miss(b)
		}
		if err != nil && !w.stopped {
			return &LaneError{w.lane.Label, err}
		}
	}
	return nil
}

// miss notes what of a batch that the lane did not decide the reference admits.
func (w *worker) miss(b *batch) {
	for i, q := range b.requests {
		if b.exact[i] {
			w.unseen.Add(b.numbers[i], q.Cost)
		}
	}
}

// exact is what the reference admits of what the lane decided.
func (w *worker) exact(src *source) *measure.Ledger {
	if !w.stopped {
		return src.meter.Within()
	}
	return src.meter.Within().Less(&w.unseen)
}

func (w *worker) decide(ctx context.Context, b *batch) error {
	decisions := w.decisions[:len(b.requests)]
	if w.turn != nil {
		select {
		case w.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-w.turn }()
	}
	if err := w.lane.Decider.Decide(ctx, b.requests, decisions); err != nil {
		return err
	}
	for i, q := range b.requests {
		w.meter.Observe(q, b.numbers[i], decisions[i], b.exact[i])
	}
	if w.lane.Observe != nil {
		return w.lane.Observe(b.requests, decisions)
	}
	return nil
}
