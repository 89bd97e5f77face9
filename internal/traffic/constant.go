package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// Constant is a number of arrivals spread evenly over the phase: the i-th at ⌊i·d/n⌋ µs.
type Constant int64

// Times implements Arrivals.
func (n Constant) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		Rate{Count: int64(n), Per: d}.evenly(0, d.Microseconds(), yield)
	}
}

// Count implements Arrivals.
func (n Constant) Count(time.Duration) int64 { return int64(n) }

// Steady is a constant rate: the i-th arrival at ⌊i/rate⌋ µs, as long as the phase lasts.
type Steady struct{ Rate Rate }

// Times implements Arrivals.
func (s Steady) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) { s.Rate.evenly(0, d.Microseconds(), yield) }
}

// Count implements Arrivals.
func (s Steady) Count(d time.Duration) int64 { return s.Rate.within(d) }

// Pause is a phase without arrivals.
type Pause struct{}

// Times implements Arrivals.
func (Pause) Times(time.Duration, *rand.Rand) iter.Seq[int64] { return func(func(int64) bool) {} }

// Count implements Arrivals.
func (Pause) Count(time.Duration) int64 { return 0 }
