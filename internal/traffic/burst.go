package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// Burst is Size arrivals at one instant, at the phase's start and then Every so often. Where Every is 0 there is
// one burst, and the phase may have no duration at all.
type Burst struct {
	Size  int64
	Every time.Duration // whole microseconds
}

// Times implements Arrivals.
func (b Burst) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for k := range b.bursts(d) {
			at := k * b.Every.Microseconds()
			for range b.Size {
				if !yield(at) {
					return
				}
			}
		}
	}
}

// Count implements Arrivals.
func (b Burst) Count(d time.Duration) int64 {
	n := b.bursts(d)
	if b.Size > 0 && n > 1<<62/b.Size {
		return 1 << 62
	}
	return n * b.Size
}

// bursts is how many of them start in [0, d), and one at least.
func (b Burst) bursts(d time.Duration) int64 {
	if b.Every == 0 || d == 0 {
		return 1
	}
	return int64((d-1)/b.Every) + 1
}
