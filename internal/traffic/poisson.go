package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// Poisson is independent arrivals at a mean rate: the gaps are exponential, the first one included. The sum of
// the gaps is kept as a double and cut to the microsecond, so that the cutting does not add up. The conversion
// below keeps a processor with fused multiply-add from rounding otherwise than one without.
type Poisson struct{ Rate Rate }

// Times implements Arrivals.
func (p Poisson) Times(d time.Duration, random *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if p.Rate.Count == 0 {
			return
		}
		end, meanGap := float64(d.Microseconds()), 1/p.Rate.perUS()
		for at := random.ExpFloat64() * meanGap; at < end; at += float64(random.ExpFloat64() * meanGap) {
			if !yield(int64(at)) {
				return
			}
		}
	}
}

// Count implements Arrivals: the mean.
func (p Poisson) Count(d time.Duration) int64 { return p.Rate.within(d) }
