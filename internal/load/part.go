package load

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// Longest is the longest part of a scenario that bench plays.
const Longest = 90 * time.Second

// Wish selects the part of a scenario to play. The zero value selects all of it.
type Wish struct {
	From time.Duration // since the scenario's start
	For  time.Duration // 0: until the end of the traffic
}

// Part is the part of the traffic that is played: the requests due at or after From and before Until. If Until is the
// end of the traffic, requests due at Until belong to the part too. Both count from the scenario's start. Earlier
// requests are not played.
type Part struct {
	From, Until time.Duration
	Requests    []limit.Request // AtUS counts from the scenario's start
}

// Length returns how long the part takes to play.
func (p *Part) Length() time.Duration { return p.Until - p.From }

// NewPart cuts the part that w selects out of the traffic. It returns the traffic's error, or an error if the part is
// not in the traffic or is longer than Longest. The latter error suggests a part that is short enough.
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

// endOf returns the duration of the traffic. The duration of a trace is known only after it has been read.
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
