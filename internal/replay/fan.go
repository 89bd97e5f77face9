package replay

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// fan has each source work in a goroutine of its own, and behind it each of its lanes in another.
type fan struct {
	ctx      context.Context
	group    *errgroup.Group
	policy   limit.Policy
	duration time.Duration
	lanes    []Lane
	options  Options
	turn     chan struct{} // held while deciding; nil: no bound
	sources  []*source
}

type worker struct {
	lane      Lane
	meter     *measure.Meter
	batches   chan *batch
	decisions []limit.Decision
	turn      chan struct{} // of the fan
	stopped   bool
	unseen    measure.Ledger // what the reference admits of what came after a lane stopped
}

func newFan(ctx context.Context, p limit.Policy, duration time.Duration, lanes []Lane, o Options) *fan {
	group, ctx := errgroup.WithContext(ctx)
	f := &fan{ctx: ctx, group: group, policy: p, duration: duration, lanes: lanes, options: o}
	if o.Parallel > 0 {
		f.turn = make(chan struct{}, o.Parallel)
	}
	return f
}

// begin starts so many sources. The lanes of all but the first are new ones.
func (f *fan) begin(sources int) []*source {
	for i := range sources {
		s := newSource(f.policy, f.duration, f.options)
		for _, lane := range f.lanes {
			if i > 0 {
				lane.Decider = lane.Another()
			}
			s.workers = append(s.workers, f.worker(lane))
		}
		f.sources = append(f.sources, s)
		f.group.Go(func() error { return s.work(f.ctx) })
	}
	return f.sources
}

func (f *fan) worker(lane Lane) *worker {
	w := &worker{lane: lane, meter: measure.NewMeter(f.policy, f.duration), batches: make(chan *batch, 2),
		turn: f.turn}
	w.watch(f.options)
	f.group.Go(func() error { return w.work(f.ctx) })
	return w
}

// send hands a batch to a source; its error is the context's, which also ends when a lane fails.
func (f *fan) send(s *source, requests []limit.Request) error {
	select {
	case s.requests <- requests:
		return nil
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}

// finish waits for the sources and lanes to work off what was sent, and gives the first error.
func (f *fan) finish() error {
	for _, s := range f.sources {
		close(s.requests)
	}
	return f.group.Wait()
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

// tally is what the worker's lane did with what src took.
func (w *worker) tally(duration time.Duration, src *source) (*measure.Tally, error) {
	exact := w.exact(src)
	t, err := w.meter.Tally(duration, exact)
	if err == nil && src.options.Fairness {
		account := measure.Account{Offered: &src.offered, Exact: exact, Within: w.meter.Within(),
			Excess: w.meter.Excess()}
		t.Served = account.Served(src.names, src.policy.Requests)
	}
	return t, err
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
		return src.reference.Within()
	}
	return src.reference.Within().Less(&w.unseen)
}

func (w *worker) decide(ctx context.Context, b *batch) error {
	if n := len(b.requests); n > len(w.decisions) {
		w.decisions = make([]limit.Decision, n)
	}
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
