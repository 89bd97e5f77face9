package traffic

import (
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"time"
)

// Ramp is a rate that goes linearly from From at the phase's start to To at its end.
type Ramp struct{ From, To Rate }

// Times implements Arrivals. With a and b the rates in arrivals per µs and D the phase's length, N(t) = a·t +
// (b−a)·t²/2D arrivals are due by t, and the i-th (from 0, so the first is at the start as in Constant) comes
// at N(t) = i:
//
//	t = 2i / (a + √(a² + 2i·(b−a)/D))
//
// Note: the schoolbook form (−a + √…)/((b−a)/D) divides by zero on a flat ramp and cancels on a nearly flat one.
func (r Ramp) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		length := d.Microseconds()
		a, b := r.From.perUS(), r.To.perUS()
		slope := (b - a) / float64(length)
		for i := range r.Count(d) {
			t := 0.0
			if i > 0 {
				t = 2 * float64(i) / (a + math.Sqrt(max(0, a*a+2*float64(i)*slope)))
			}
			if !yield(min(int64(t), length-1)) {
				return
			}
		}
	}
}

// Count implements Arrivals: ⌈(a+b)/2 · D⌉, exactly, since a double would sometimes find one too many.
func (r Ramp) Count(d time.Duration) int64 {
	sum := new(big.Rat).Add(r.From.rational(), r.To.rational())
	sum.Mul(sum, big.NewRat(d.Microseconds(), 2))
	n, rest := new(big.Int).QuoRem(sum.Num(), sum.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		n.Add(n, big.NewInt(1))
	}
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

// rational is the rate in arrivals per microsecond.
func (r Rate) rational() *big.Rat { return big.NewRat(r.Count, r.Per.Microseconds()) }
