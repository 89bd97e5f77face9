package load

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
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
		return nil, fmt.Errorf("takes %s to play, and %s is the most; play a part of it: --from %s --for %s",
			limit.FormatDuration(p.Length()), limit.FormatDuration(Longest), limit.FormatDuration(p.From),
			limit.FormatDuration(Longest))
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
