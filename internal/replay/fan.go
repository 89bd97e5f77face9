package replay

import (
	"context"
	"math/bits"
	"runtime"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

const (
	// defaultBatch is large enough that a server's pipeline fills, and small enough that a lane's memory stays in the
	// processor's cache.
	defaultBatch = 16384
	// sharesFrom is how many requests are read before they are shared out over the processors: fewer are decided before
	// anybody else could help.
	sharesFrom = 1 << 16
)

// fan reads the traffic once, and hands each request to the source that has its key, in batches. Each source works in a
// goroutine of its own, and behind it each of its lanes in another.
type fan struct {
	ctx      context.Context
	group    *errgroup.Group
	policy   limit.Policy
	duration time.Duration
	lanes    []Lane
	options  Options
	turn     chan struct{} // held while deciding: no more lanes decide at the same time than there are processors

	sources []*source
	held    []limit.Request // while there are no sources
	done    int64           // requests that were sent
	all     Whole
	stop    bool // it was told to
	partial bool // it did before the end
}

// read hands the traffic on until it ends, somebody fails, or it is told to stop.
func (f *fan) read(traffic Traffic) error {
	if f.options.Sources <= 1 {
		f.begin(1)
	}
	for q, err := range traffic.Requests() {
		if err != nil {
			return &InputError{err}
		}
		if f.partial = f.stop; f.partial {
			break
		}
		f.all.LastUS, f.all.LargestCost = q.AtUS, max(f.all.LargestCost, q.Cost)
		if f.sources != nil {
			err = f.hand(q)
		} else if f.held = append(f.held, q); len(f.held) == f.options.ShareFrom {
			err = f.share(f.options.Sources)
		}
		if err != nil {
			return err
		}
	}
	if f.sources == nil {
		if err := f.share(1); err != nil {
			return err
		}
	}
	for _, s := range f.sources {
		if err := f.deliver(s); err != nil {
			return err
		}
	}
	return nil
}

// begin starts so many sources. The lanes of all but the first are new ones.
func (f *fan) begin(sources int) {
	for i := range sources {
		s := newSource(f.policy, f.duration, f.options)
		for _, lane := range f.lanes {
			if i > 0 {
				lane.Decider = lane.Another()
			}
			w := s.worker(lane, f.turn)
			f.group.Go(func() error { return w.work(f.ctx) })
		}
		f.sources = append(f.sources, s)
		f.group.Go(func() error { return s.work(f.ctx) })
	}
}

// share begins with so many sources, and hands on what was held.
func (f *fan) share(sources int) error {
	f.begin(sources)
	for _, q := range f.held {
		if err := f.hand(q); err != nil {
			return err
		}
	}
	f.held = nil
	return nil
}

// hand puts q to the others for its source, which get on their way where they are enough.
func (f *fan) hand(q limit.Request) error {
	s := f.sources[0]
	if n := len(f.sources); n > 1 {
		high, _ := bits.Mul64(xxh3.HashString(q.Key), uint64(n))
		s = f.sources[high]
	}
	if len(s.pending) == f.options.Batch {
		if err := f.deliver(s); err != nil {
			return err
		}
	}
	s.pending = append(s.pending, q)
	return nil
}

// deliver sends what is pending for a source, unless that is nothing. The next batch has room for as many. Its error is
// the context's, which also ends when a lane fails.
func (f *fan) deliver(s *source) error {
	b := s.pending
	if len(b) == 0 {
		return nil
	}
	s.pending = make([]limit.Request, 0, len(b))
	select {
	case s.requests <- b:
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
	f.done += int64(len(b))
	if f.options.Progress != nil && !f.stop {
		f.options.Progress(f.done)
	}
	f.stop = f.stop || message.Closed(f.options.Stop)
	return nil
}

// run reads the traffic, and waits for the sources and lanes to work off what was sent.
func (f *fan) run(traffic Traffic) (*Part, error) {
	err := f.read(traffic)
	for _, s := range f.sources {
		close(s.requests)
	}
	if laneErr := f.group.Wait(); err == nil || laneErr != nil {
		err = laneErr
	}
	if err != nil {
		return nil, err
	}
	duration := time.Duration(f.all.LastUS+1) * time.Microsecond
	if !f.partial {
		duration, _ = traffic.Duration()
	}
	f.all.DurationUS = duration.Microseconds()
	var sum *Part
	for _, s := range f.sources {
		part, err := s.part(f.all)
		if err != nil {
			return nil, err
		}
		if sum != nil {
			part = sum.Plus(part)
		}
		sum = part
	}
	sum.partial = sum.partial || f.partial
	return sum, nil
}

// RunPart is Run, and what it finds a part that can be added to those of other keys.
func RunPart(ctx context.Context, traffic Traffic, p limit.Policy, lanes []Lane, o Options) (*Part, error) {
	if o.Batch == 0 {
		o.Batch = defaultBatch
	}
	if o.ShareFrom == 0 {
		o.ShareFrom = sharesFrom
	}
	for _, l := range lanes {
		if l.Another == nil {
			o.Sources = 1
		}
	}
	duration, _ := traffic.Duration()
	group, ctx := errgroup.WithContext(ctx)
	f := &fan{ctx: ctx, group: group, policy: p, duration: duration, lanes: lanes, options: o,
		turn: make(chan struct{}, runtime.GOMAXPROCS(0))}
	return f.run(traffic)
}
