package play

import (
	"fmt"
	"iter"
	"math"
	"sort"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// Stretch is some of a scenario's time: from From on, and before Until, but for the scenario's last instant, which is
// in it as well. Both count from the scenario's start.
type Stretch struct{ From, Until time.Duration }

// Length is how long it takes to play.
func (s Stretch) Length() time.Duration { return s.Until - s.From }

// String names both ends.
func (s Stretch) String() string {
	return limit.FormatDuration(s.From) + " to " + limit.FormatDuration(s.Until)
}

// DefaultLength is how much of a scenario is played where nobody says otherwise.
const DefaultLength = 10 * time.Second

// Wish is what is to be played of a scenario; the zero value is the DefaultLength in which most is asked for.
type Wish struct {
	From  *time.Duration // nil: where most is asked for
	For   time.Duration  // 0: DefaultLength, or what there is from From on
	Whole bool
}

// Part is a stretch of some traffic, with what comes before it.
type Part struct {
	Stretch
	Traffic  replay.Traffic
	Requests []limit.Request // of the stretch; AtUS counts from the scenario's start
}

// NewPart cuts out of traffic what the wish says. The error is the traffic's, or names a stretch that is not in it.
func NewPart(t replay.Traffic, w Wish) (*Part, error) {
	s, err := stretch(t, w)
	if err != nil {
		return nil, err
	}
	p := &Part{Stretch: s, Traffic: t}
	for q, err := range t.Requests() {
		if err != nil {
			return nil, err
		}
		if !p.includes(q) {
			break
		}
		if q.AtUS >= s.From.Microseconds() {
			p.Requests = append(p.Requests, q)
		}
	}
	return p, nil
}

// includes reports whether q comes before the stretch's end.
func (p *Part) includes(q limit.Request) bool {
	until := p.Until.Microseconds()
	d, known := p.Traffic.Duration()
	return q.AtUS < until || q.AtUS == until && (!known || d <= p.Until)
}

// Before yields what comes before the stretch.
func (p *Part) Before() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range p.Traffic.Requests() {
			if err == nil && q.AtUS >= p.From.Microseconds() || !yield(q, err) {
				return
			}
		}
	}
}

// batchSize is how many requests are read ahead.
const batchSize = 4096

// inBatches hands requests on, in batches that are its own only until it returns. The error is the stream's, or do's.
func inBatches(requests iter.Seq2[limit.Request, error], do func(batch []limit.Request) error) error {
	batch := make([]limit.Request, 0, batchSize)
	for q, err := range requests {
		if err != nil {
			return err
		}
		if batch = append(batch, q); len(batch) == cap(batch) {
			if err := do(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return do(batch)
}

// UpToHere is the traffic as far as the stretch's end.
func (p *Part) UpToHere() replay.Traffic { return upTo{p} }

type upTo struct{ *Part }

// Requests are those before the stretch and those of it.
func (u upTo) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range u.Traffic.Requests() {
			if err == nil && !u.includes(q) || !yield(q, err) {
				return
			}
		}
	}
}

// Duration ends with the stretch.
func (u upTo) Duration() (time.Duration, bool) { return u.Until, true }

// stretch is what the wish means.
func stretch(t replay.Traffic, w Wish) (Stretch, error) {
	length := w.For
	switch {
	case w.Whole:
		length = math.MaxInt64
	case length == 0 && w.From == nil:
		length = DefaultLength
	case length == 0:
		length = math.MaxInt64
	}
	var s Stretch
	var err error
	var end time.Duration
	if w.From == nil && !w.Whole {
		s.From, end, err = busiest(t, length)
	} else {
		end, err = endOf(t)
	}
	if err != nil {
		return s, err
	}
	if w.From != nil {
		s.From = *w.From
	}
	if s.From > end || s.From == end && end > 0 {
		return s, fmt.Errorf("from %s: it ends at %s", limit.FormatDuration(s.From), limit.FormatDuration(end))
	}
	s.Until = end
	if length < end-s.From {
		s.Until = s.From + length
	}
	return s, nil
}

// endOf is the traffic's duration; a trace's is known once it has been read.
func endOf(t replay.Traffic) (time.Duration, error) {
	if d, known := t.Duration(); known {
		return d, nil
	}
	var last time.Duration
	for q, err := range t.Requests() {
		if err != nil {
			return 0, err
		}
		last = time.Duration(q.AtUS) * time.Microsecond
	}
	if d, known := t.Duration(); known {
		return d, nil
	}
	return last, nil
}

// busiest is where the stretch of that length begins in which most cost is asked for, the earliest of equals: at a
// request, or so that it ends with the traffic.
func busiest(t replay.Traffic, length time.Duration) (from, end time.Duration, err error) {
	var window []limit.Request // the last length of the traffic
	var sum, most int64
	var best int64
	for q, err := range t.Requests() {
		if err != nil {
			return 0, 0, err
		}
		first := sort.Search(len(window), func(i int) bool { return window[i].AtUS > q.AtUS-length.Microseconds() })
		for _, gone := range window[:first] {
			sum -= gone.Cost
		}
		window = append(window[first:], q)
		if sum += q.Cost; sum > most {
			most, best = sum, window[0].AtUS
		}
	}
	if end, err = endOf(t); err != nil {
		return 0, 0, err
	}
	return max(0, min(time.Duration(best)*time.Microsecond, end-length)), end, nil
}
