package traffic

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// Spike is a bell of that many arrivals with its peak in the middle of the phase, such as a product launch. It
// is a normal distribution with σ = d/6, cut at ±3σ, so that all arrivals are inside; there is no chance in it:
// arrival i of n is the distribution's quantile (i + ½)/n.
type Spike int64

// Times implements Arrivals. The normal quantile is √2·erf⁻¹(2p−1); cutting at 3σ scales the argument of erf⁻¹
// by erf(3/√2).
func (n Spike) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		middle, sigma := float64(d.Microseconds())/2, float64(d.Microseconds())/6
		inside := math.Erf(3 / math.Sqrt2)
		last := int64(0)
		for i := range int64(n) {
			p := (float64(i) + 0.5) / float64(n)
			t := middle + sigma*math.Sqrt2*math.Erfinv(inside*(2*p-1))
			// The last bits of erf⁻¹ must not make time run backwards.
			last = max(last, min(int64(t), d.Microseconds()-1))
			if !yield(last) {
				return
			}
		}
	}
}

// Count implements Arrivals.
func (n Spike) Count(time.Duration) int64 { return int64(n) }
