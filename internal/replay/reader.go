package replay

import (
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/waiting"
)

// sharesFrom is how many requests are read before they are shared out over the processors: fewer are decided before
// anybody else could help.
const sharesFrom = 1 << 16

// reader reads the traffic once, and hands each request to the source that has its key, in batches.
type reader struct {
	options Options
	begin   func(sources int) []*source // is called once
	send    func(*source, []limit.Request) error

	sources []*source
	pending [][]limit.Request // for each source, what was not sent yet
	held    []limit.Request   // while there are no sources
	done    int64             // requests that were sent, or are of no key of the shard

	all     Whole
	digest  measure.Digest
	stop    bool // it was told to
	partial bool // it did before the end
}

// read hands the traffic on until it ends, somebody fails, or it is told to stop.
func (r *reader) read(traffic Traffic) error {
	if r.options.Sources <= 1 {
		r.sources, r.pending = r.begin(1), make([][]limit.Request, 1)
	}
	for q, err := range traffic.Requests() {
		if err != nil {
			return &TrafficError{err}
		}
		if r.partial = r.stop; r.partial {
			break
		}
		r.note(q)
		if err := r.take(q); err != nil {
			return err
		}
	}
	return r.flush()
}

// take hands q on, unless it is of another shard.
func (r *reader) take(q limit.Request) error {
	switch {
	case !r.options.Shard.Has(q.Key):
		if r.done++; r.done%defaultBatch == 0 {
			r.progress()
		}
		return nil
	case r.sources != nil:
		return r.hand(q)
	}
	if r.held = append(r.held, q); len(r.held) < r.options.ShareFrom {
		return nil
	}
	return r.share(r.options.Sources)
}

// note counts what every part of the traffic knows alike.
func (r *reader) note(q limit.Request) {
	r.all.Requests++
	r.all.LastUS, r.all.LargestCost = q.AtUS, max(r.all.LargestCost, q.Cost)
	if r.options.Shard.Of > 0 {
		r.digest.Add(q, false)
	}
}

// hand puts q to the others for its source, which get on their way where they are enough.
func (r *reader) hand(q limit.Request) error {
	i := 0
	if len(r.sources) > 1 {
		i = sourceOf(q.Key, len(r.sources))
	}
	if r.full(r.pending[i], q) {
		if err := r.deliver(i); err != nil {
			return err
		}
	}
	r.pending[i] = append(r.pending[i], q)
	return nil
}

// deliver sends what is pending for a source. The next batch has room for as many: where a span of time bounds them,
// most are small.
func (r *reader) deliver(i int) error {
	b := r.pending[i]
	r.pending[i] = make([]limit.Request, 0, len(b))
	if err := r.send(r.sources[i], b); err != nil {
		return err
	}
	r.done += int64(len(b))
	r.progress()
	return nil
}

// full reports whether next belongs to another batch.
func (r *reader) full(b []limit.Request, next limit.Request) bool {
	if len(b) == r.options.Batch {
		return true
	}
	span := r.options.Span.Microseconds()
	return len(b) > 0 && span > 0 && next.AtUS-b[0].AtUS > span
}

// share begins with so many sources, and hands on what was held.
func (r *reader) share(sources int) error {
	r.sources, r.pending = r.begin(sources), make([][]limit.Request, sources)
	for _, q := range r.held {
		if err := r.hand(q); err != nil {
			return err
		}
	}
	r.held = nil
	return nil
}

// flush sends all that is left.
func (r *reader) flush() error {
	if r.sources == nil {
		if err := r.share(1); err != nil {
			return err
		}
	}
	for i := range r.pending {
		if len(r.pending[i]) > 0 {
			if err := r.deliver(i); err != nil {
				return err
			}
		}
	}
	r.all.Digest = r.digest.Sum()
	return nil
}

// progress tells how far it is, until it is told to stop.
func (r *reader) progress() {
	if r.stop {
		return
	}
	if r.options.Progress != nil {
		r.options.Progress(r.done)
	}
	r.stop = waiting.Closed(r.options.Stop)
}
