package scenario

import (
	"fmt"
	"math"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// The standard set: the number of windows that each traffic lasts, and the largest limit at which it is played. Above
// that limit, the share that a limiter wrongly rejects changes by less than one request in mostRequests.
const (
	lasts        = 20
	mostRequests = 100
)

// Scaled returns the limit at which the standard set for p is played. It has the same window, at most mostRequests, and
// a burst in proportion.
func Scaled(p limit.Policy) limit.Policy {
	if p.Requests > mostRequests {
		if p.Burst != 0 {
			p.Burst = max(1, int64(math.Round(float64(p.Burst)*mostRequests/float64(p.Requests))))
		}
		p.Requests = mostRequests
	}
	return p
}

// Standard returns the twelve scenarios on which limiters are compared by default. Their rates are multiples of the
// limit.
func Standard(p limit.Policy) []*Scenario {
	w, l := p.Window, p.Requests
	rate := func(tenths int64) traffic.Rate { return traffic.Rate{Count: tenths * l, Per: 10 * w} }
	one := func(name string, phases ...traffic.Phase) *Scenario {
		for i := range phases {
			phases[i].Name = fmt.Sprint("phase ", i)
		}
		return &Scenario{Name: name, Limit: p, Start: DefaultStart, Seed: 1, Phases: phases}
	}
	all := func(a traffic.Arrivals) traffic.Phase { return traffic.Phase{Duration: lasts * w, Arrivals: a} }
	crowd := all(traffic.Steady{Rate: rate(200)})
	crowd.Keys = traffic.Zipf{Count: 100, Exponent: 1}
	before := traffic.Phase{Duration: w - w/10, Arrivals: traffic.Steady{Rate: rate(0)}}
	edges := traffic.Phase{Duration: lasts*w - before.Duration,
		Arrivals: traffic.Steps{Start: 10 * l, Per: w, On: w / 5, Every: 3 * w}}
	waves := traffic.Steps{Start: 2 * l, Per: w, On: w, Every: 2 * w}
	return []*Scenario{
		one("steady at half of the limit", all(traffic.Steady{Rate: rate(5)})),
		one("steady at nine tenths of the limit", all(traffic.Steady{Rate: rate(9)})),
		one("steady at one and a half of the limit", all(traffic.Steady{Rate: rate(15)})),
		one("random at eight tenths of the limit", all(traffic.Poisson{Rate: rate(8)})),
		one("random at twelve tenths of the limit", all(traffic.Poisson{Rate: rate(12)})),
		one("half of the limit at once, every window", all(traffic.Burst{Size: max(1, l/2), Every: w})),
		one("the limit at once, every second window", all(traffic.Burst{Size: l, Every: 2 * w})),
		one("the limit on both sides of an edge", before, edges),
		one("a window at twice the limit, one of nothing", all(waves)),
		one("a ramp to twice the limit", all(traffic.Ramp{To: rate(20), From: traffic.Rate{Per: 10 * w}})),
		one("ten times the limit", all(traffic.Steady{Rate: rate(100)})),
		one("a hundred keys, twenty limits together", crowd),
	}
}
