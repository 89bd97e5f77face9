package load

import (
	"fmt"
	"math"
	"sort"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/traffic"
)

// Longest is how much of a scenario bench plays at most.
const Longest = 90 * time.Second

// Wish is what is to be played of a scenario; the zero value is all of it.
type Wish struct {
	From time.Duration // after the scenario's start
	For  time.Duration // 0: what there is from From on
}

// Part is what is played of some traffic: what is due from From on, and before Until, but for the traffic's last
// instant, which belongs to it as well. Both count from the scenario's start. What comes before From is not played.
type Part struct {
	From, Until time.Duration
	Requests    []limit.Request // AtUS counts from the scenario's start
}

// Length is how long it takes to play.
func (p *Part) Length() time.Duration { return p.Until - p.From }

// Traffic is the part's.
func (p *Part) Traffic() *traffic.Stream { return traffic.List(p.Requests, p.Until, true) }

// operations are what clients that react begin in the part: nothing at its last instant.
func (p *Part) operations() []limit.Request {
	n := sort.Search(len(p.Requests), func(i int) bool { return p.Requests[i].AtUS >= p.Until.Microseconds() })
	return p.Requests[:n]
}

// NewPart cuts out of traffic what the wish says. The error is the traffic's, or names a part that is not in it, or one
// that is longer than Longest with what to ask for instead.
func NewPart(t replay.Traffic, w Wish) (*Part, error) {
	end, err := endOf(t)
	if err != nil {
		return nil, err
	}
	if w.From > end || w.From == end && end > 0 {
		return nil, fmt.Errorf("from %s: it ends at %s", limit.FormatDuration(w.From), limit.FormatDuration(end))
	}
	p := &Part{From: w.From, Until: end}
	if w.For > 0 && w.For < p.Length() {
		p.Until = w.From + w.For
	}
	if p.Length() > Longest {
		return nil, tooLong(t, p)
	}
	untilUS := p.Until.Microseconds()
	for q, err := range t.Requests() {
		if err != nil {
			return nil, err
		}
		if q.AtUS > untilUS || q.AtUS == untilUS && p.Until < end {
			break
		}
		if q.AtUS >= p.From.Microseconds() {
			p.Requests = append(p.Requests, q)
		}
	}
	return p, nil
}

// tooLong says what to ask for instead: the part in which most is asked for, unless the beginning was chosen.
func tooLong(t replay.Traffic, p *Part) error {
	from, where := p.From, ""
	if from == 0 {
		var err error
		if from, err = busiest(t, p.Until); err != nil {
			return err
		}
		where = ", where most is asked for"
	}
	return fmt.Errorf("takes %s to play, and %s is the most; play a part of it: --from %s --for %s%s",
		limit.FormatDuration(p.Length()), limit.FormatDuration(Longest), limit.FormatDuration(from),
		limit.FormatDuration(Longest), where)
}

// endOf is the traffic's duration; a trace's is known once it has been read.
func endOf(t replay.Traffic) (time.Duration, error) {
	if d, known := t.Duration(); known {
		return d, nil
	}
	for _, err := range t.Requests() {
		if err != nil {
			return 0, err
		}
	}
	d, _ := t.Duration()
	return d, nil
}

// busiest is where the part of the Longest length begins in which most cost is asked for, the earliest of equals: at a
// whole second, at or before a request, or so that it ends with the traffic.
func busiest(t replay.Traffic, end time.Duration) (time.Duration, error) {
	var window []limit.Request // the last length of the traffic
	var sum int64
	best, most := int64(0), int64(math.MinInt64)
	for q, err := range t.Requests() {
		if err != nil {
			return 0, err
		}
		first := sort.Search(len(window), func(i int) bool { return window[i].AtUS > q.AtUS-Longest.Microseconds() })
		for _, gone := range window[:first] {
			sum -= gone.Cost
		}
		window = append(window[first:], q)
		if sum += q.Cost; sum > most {
			most, best = sum, window[0].AtUS
		}
	}
	from := max(0, min(time.Duration(best)*time.Microsecond, end-Longest))
	return from.Truncate(time.Second), nil
}
