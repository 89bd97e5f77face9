package bench

import (
	"time"

	"ratelab/internal/load"
	"ratelab/internal/result"
)

// What the parts in virtual time take, roughly.
const (
	exactTime = time.Second
	takeTime  = 200 * time.Millisecond
	fillTime  = 200 * time.Millisecond
	overhead  = 100 * time.Millisecond // of each measurement: connections, garbage, deleting
)

func (p *plan) closedTime() time.Duration { return p.WarmUp + p.Segment + overhead }

// mixTime is that of one mix with all limiters.
func (p *plan) mixTime() time.Duration { return time.Duration(len(p.costs)) * p.closedTime() }

// wait is how long a play of a limiter waits for its window at most.
func (c *playPlan) wait() time.Duration {
	var most time.Duration
	for _, e := range c.Limiters {
		if e.Aligned && e.Policy.Window <= load.LongestAlignment {
			most = max(most, e.Policy.Window)
		}
	}
	return most
}

func (p *plan) openTime(r *playPlan) time.Duration {
	return p.WarmUp + r.part.Length() + r.wait() + overhead
}

// estimate is how long the job will probably take.
func (p *plan) estimate() time.Duration {
	limiters := time.Duration(len(p.costs))
	return time.Duration(len(p.runs))*exactTime + limiters*(takeTime+fillTime) +
		time.Duration(p.Rounds)*p.roundTime() + limiters*time.Duration(len(p.Sweep))*p.closedTime()
}

// roundTime is how long a round probably takes.
func (p *plan) roundTime() time.Duration {
	limiters := time.Duration(len(p.costs))
	d := time.Duration(len(result.Mixes())) * p.mixTime()
	for _, r := range p.runs {
		d += limiters * p.openTime(r)
	}
	return d
}
