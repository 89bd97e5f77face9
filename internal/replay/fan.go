package replay

import (
	"context"
	"math/bits"
	"runtime"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
)

const (
	// defaultBatch is large enough to fill a server's pipeline, and small enough for a row's memory to stay in the
	// processor's cache.
	defaultBatch = 16384
	// sharesFrom is the number of requests that are read before processors share the keys. If there are fewer requests,
	// sharing saves no time.
	sharesFrom = 1 << 16
)

// fan reads the traffic once, and sends each request to its key's source, in batches. Each source has a goroutine, and
// so has each row of each source.
type fan struct {
	reading  context.Context // when this context ends, read stops
	ctx      context.Context // ends when a row fails
	group    *errgroup.Group
	policy   limit.Policy
	duration time.Duration
	rows     []Row
	options  Options
	turn     chan struct{} // a row holds a slot while it decides; there are as many slots as processors

	sources []*source
	held    []limit.Request // requests that were read before there are sources
	done    int64           // requests sent to sources
	all     Whole
	stop    bool // reading must stop
	partial bool // reading stopped before the traffic's end
}

// read sends the traffic to the sources, until the traffic ends, a row fails, or the context reading ends.
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
		f.all.LastUS, f.all.LargestCost = q.AtUS, max(f.all.LargestCost, q.Spent())
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

// begin starts sources. The first one uses the rows' Deciders. The others use Deciders that Another makes.
func (f *fan) begin(sources int) {
	for i := range sources {
		s := newSource(f.policy, f.duration, f.options)
		for _, row := range f.rows {
			if i > 0 {
				row.Decider = row.Another()
			}
			w := s.worker(row, f.turn)
			f.group.Go(func() error { return w.work(f.ctx) })
		}
		f.sources = append(f.sources, s)
		f.group.Go(func() error { return s.work(f.ctx) })
	}
}

// share starts sources, and sends them the held requests.
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

// hand adds q to the pending batch of its source. It sends a full batch first.
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

// deliver sends a source's pending batch, unless it is empty. The next batch has the same capacity. It returns the
// error of f.ctx, which ends when a row fails.
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
	f.stop = f.stop || f.reading.Err() != nil
	return nil
}

// run reads the traffic, and waits until all sources and rows have finished.
func (f *fan) run(traffic Traffic) (*Part, error) {
	err := f.read(traffic)
	for _, s := range f.sources {
		close(s.requests)
	}
	if rowErr := f.group.Wait(); err == nil || rowErr != nil {
		err = rowErr
	}
	if err != nil {
		return nil, err
	}
	duration := time.Duration(f.all.LastUS+1) * time.Microsecond
	if !f.partial {
		duration, _ = traffic.Duration()
	}
	f.all.DurationUS = duration.Microseconds()
	reach := max(f.options.Reach, f.all.LastUS)
	for _, s := range f.sources {
		for _, w := range s.workers {
			if f.options.Reach == 0 {
				reach = max(reach, w.meter.LastDeparture())
			}
		}
	}
	var sum *Part
	for _, s := range f.sources {
		part, err := s.part(f.all, reach)
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

// RunPart is like Run, but returns a Part, which can be added to the Parts of other keys.
func RunPart(ctx context.Context, traffic Traffic, p limit.Policy, rows []Row, o Options) (*Part, error) {
	if o.Batch == 0 {
		o.Batch = defaultBatch
	}
	if o.ShareFrom == 0 {
		o.ShareFrom = sharesFrom
	}
	for _, l := range rows {
		if l.Another == nil || l.Observe != nil {
			o.Sources = 1
		}
	}
	duration, _ := traffic.Duration()
	group, deciding := errgroup.WithContext(context.WithoutCancel(ctx))
	f := &fan{reading: ctx, ctx: deciding, group: group, policy: p, duration: duration, rows: rows, options: o,
		turn: make(chan struct{}, runtime.GOMAXPROCS(0))}
	return f.run(traffic)
}
