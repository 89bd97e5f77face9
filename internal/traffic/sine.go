package traffic

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// Sine is a daily rhythm: the rate is Mean + Amplitude·sin(2πt/Period). It begins at the mean, rising, and has
// its peak after a quarter of the period.
type Sine struct {
	Mean, Amplitude Rate // Amplitude is at most Mean, else the rate would be negative
	Period          time.Duration
}

// Times implements Arrivals. With m and A the mean and the amplitude per µs and P the period in µs,
//
//	N(t) = m·t + (A·P/2π)·(1 − cos(2πt/P))
//
// arrivals are due by t, and the i-th, from 0, comes at N(t) = i.
func (s Sine) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		length, at := d.Microseconds(), 0.0
		for i := range s.Count(d) {
			at = s.solve(float64(i), at)
			if !yield(min(int64(at), length-1)) {
				return
			}
		}
	}
}

// Count implements Arrivals.
func (s Sine) Count(d time.Duration) int64 {
	due, _ := s.due(float64(d.Microseconds()))
	return int64(math.Ceil(min(due, 1<<62)))
}

// due is N(t) and its derivative, the rate at t in arrivals per µs.
func (s Sine) due(t float64) (n, rate float64) {
	m, a, period := s.Mean.perUS(), s.Amplitude.perUS(), float64(s.Period.Microseconds())
	sin, cos := math.Sincos(2 * math.Pi * math.Mod(t, period) / period)
	return m*t + a*period/(2*math.Pi)*(1-cos), m + a*sin
}

// solve finds the t ≥ from at which n arrivals are due, to a thousandth of a microsecond, by Newton's method
// inside a shrinking bracket: where the rate is zero for a moment Newton alone would jump away. N(t) lies
// between m·t and m·t + A·P/π, which gives the first bracket.
func (s Sine) solve(n, from float64) float64 {
	m, a, period := s.Mean.perUS(), s.Amplitude.perUS(), float64(s.Period.Microseconds())
	lo, hi := max(from, (n-a*period/math.Pi)/m), max(from, n/m)
	t := lo
	for hi-lo > 1e-3 {
		value, rate := s.due(t)
		if value < n {
			lo = t
		} else {
			hi = t
		}
		next := t + (n-value)/rate
		if math.Abs(next-t) < 1e-3 && next >= lo && next <= hi {
			return next
		}
		if !(next > lo && next < hi) { // also when rate is 0 and next is not a number
			next = lo + (hi-lo)/2
		}
		if next == t {
			break
		}
		t = next
	}
	return max(from, t)
}
