package examine

import (
	"strings"
	"time"

	"ratelab/internal/limit"
)

// elsewhere are limits at which faults show that do not at others: a window below a second, a burst of less than half a
// second, and one of many seconds. A TTL in whole seconds, or one that does not follow from burst and rate, is 0 or too
// short there.
var elsewhere = []limit.Policy{
	{Requests: 20, Window: 500 * time.Millisecond},
	{Requests: 20, Window: time.Second, Burst: 4, Contract: limit.ByBucket},
	{Requests: 2, Window: time.Second, Burst: 60, Contract: limit.ByBucket},
}

// These change a limit, for passes. A burst that nobody gave is the limit.
func more(p *limit.Policy)     { p.Requests++; p.Burst = 0 }
func longer(p *limit.Policy)   { p.Window *= 2 }
func burstier(p *limit.Policy) { p.Burst++ }

// sweep looks at other limits, if the binding passes them, for kinds of faults that there are not at the asked one.
func (x *examination) sweep() string {
	for _, p := range elsewhere {
		looks := []look{{(*examination).atOnce, true}, {(*examination).expiresEarly, false}}
		changes := []func(*limit.Policy){more, longer}
		if p.Burst > 0 { // in half a second, a clock that is off by 100 ms matters to any limiter
			looks, changes = append(looks, look{(*examination).clientClock, false}), append(changes, burstier)
		}
		y, err := x.under(x.ctx, p)
		if x.err != nil || err != nil || !x.passes(p, changes...) {
			continue
		}
		y.seconds = x.seconds
		x.err = y.look(looks)
		at := strings.TrimSuffix(p.String(), " by bucket")
		for _, f := range y.found.Findings[:y.found.Faults()] {
			if !x.has(f.Kind) {
				f.Text = "at " + at + ": " + f.Text
				x.add(f)
			}
		}
		if y.found.Faults() == 0 {
			x.found.Tried = append(x.found.Tried, at)
		}
	}
	return ""
}
