package traffic

import (
	"math"
	"math/big"
	"math/rand/v2"
	"time"
)

// Steady is a constant rate: the i-th arrival comes at ⌊i/rate⌋ µs, until the end of the phase.
type Steady struct{ Rate Rate }

func (s Steady) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	s.Rate.evenly(0, d, yield)
}

func (s Steady) count(d time.Duration) int64 { return s.Rate.within(d) }

// Steps is a staircase. The rate is Start arrivals per Per at first, and grows by Step with each stair. On each stair
// the rate is constant. If On is less than Every, the traffic is a square wave: no request arrives in the rest of a
// stair.
type Steps struct {
	Start, Step int64         // arrivals per Per
	Per         time.Duration // the unit of both
	On, Every   time.Duration // how long requests arrive on each stair, and the length of a stair; whole microseconds
}

func (s Steps) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	for from := time.Duration(0); from < d && s.rate(from).evenly(from, min(from+s.On, d), yield); {
		from += s.Every
	}
}

// count adds up the stairs. The scenario's loader limits their number, so no closed form is needed.
func (s Steps) count(d time.Duration) (n int64) {
	for from := time.Duration(0); from < d; from += s.Every {
		n += s.rate(from).within(min(s.On, d-from))
	}
	return n
}

// rate returns the rate of the stair that begins at from.
func (s Steps) rate(from time.Duration) Rate {
	return Rate{Count: s.Start + int64(from/s.Every)*s.Step, Per: s.Per}
}

// Burst is Size arrivals at one instant, at the phase's start and then once per Every. If Every is 0, there is one
// burst, and the phase may have no duration.
type Burst struct {
	Size  int64
	Every time.Duration // whole microseconds
}

func (b Burst) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	for i := range b.count(d) {
		if !yield(i / b.Size * b.Every.Microseconds()) {
			return
		}
	}
}

// count: bursts start in [0, d), and there is at least one.
func (b Burst) count(d time.Duration) int64 {
	if b.Every == 0 || d == 0 {
		return b.Size
	}
	return b.Size * (int64((d-1)/b.Every) + 1)
}

// Poisson is independent arrivals at a mean rate: all gaps are exponential, including the first one. The sum of the
// gaps is kept as a double and truncated to microseconds, so that truncation errors do not add up. The conversion to
// float64 below prevents fused multiply-add, which would round differently on some processors.
type Poisson struct{ Rate Rate }

func (p Poisson) times(d time.Duration, random *rand.Rand, yield func(int64) bool) {
	end, meanGap := float64(d.Microseconds()), 1/p.Rate.perUS()
	for at := random.ExpFloat64() * meanGap; at < end; at += float64(random.ExpFloat64() * meanGap) {
		if !yield(int64(at)) {
			return
		}
	}
}

func (p Poisson) count(d time.Duration) int64 { return p.Rate.within(d) }

// Spike is a bell curve of n arrivals, with its peak in the middle of the phase, such as a product launch. It is a
// normal distribution with σ = d/6, cut at ±3σ, so that all arrivals are inside. It is not random: arrival i of n is
// the distribution's quantile (i + ½)/n.
type Spike int64

// The normal quantile is √2·erf⁻¹(2p−1); cutting at 3σ scales the argument of erf⁻¹
// by erf(3/√2).
func (n Spike) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	middle, sigma := float64(d.Microseconds())/2, float64(d.Microseconds())/6
	inside := math.Erf(3 / math.Sqrt2)
	last := int64(0)
	for i := range int64(n) {
		p := (float64(i) + 0.5) / float64(n)
		t := middle + sigma*math.Sqrt2*math.Erfinv(inside*(2*p-1))
		// The last bits of erf⁻¹ must not let time run backwards.
		last = max(last, min(int64(t), d.Microseconds()-1))
		if !yield(last) {
			return
		}
	}
}

func (n Spike) count(time.Duration) int64 { return int64(n) }

// Ramp is a rate that changes linearly from From at the phase's start to To at its end.
type Ramp struct{ From, To Rate }

// With a and b the rates in arrivals per µs and D the phase's length, N(t) = a·t +
// (b−a)·t²/2D arrivals are due by t, and the i-th (from 0, so the first is at the start as in Constant) comes
// at N(t) = i:
//
//	t = 2i / (a + √(a² + 2i·(b−a)/D))
//
// Note: the schoolbook form (−a + √…)/((b−a)/D) divides by zero on a flat ramp and cancels on a nearly flat one.
func (r Ramp) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	length := d.Microseconds()
	a, b := r.From.perUS(), r.To.perUS()
	slope := (b - a) / float64(length)
	for i := range r.count(d) {
		t := 0.0
		if i > 0 {
			t = 2 * float64(i) / (a + math.Sqrt(max(0, a*a+2*float64(i)*slope)))
		}
		if !yield(min(int64(t), length-1)) {
			return
		}
	}
}

// count returns ⌈(a+b)/2 · D⌉. It is computed exactly, since with a double it would sometimes be one too many.
func (r Ramp) count(d time.Duration) int64 {
	n := new(big.Rat).Add(big.NewRat(r.From.Count, r.From.Per.Microseconds()),
		big.NewRat(r.To.Count, r.To.Per.Microseconds()))
	n.Mul(n, big.NewRat(d.Microseconds(), 2))
	below := new(big.Int).Div(n.Num().Neg(n.Num()), n.Denom()) // rounded down, to −count
	if below.Cmp(big.NewInt(-Many)) < 0 {
		return Many
	}
	return -below.Int64()
}

// Sine is a daily rhythm: the rate is Mean + Amplitude·sin(2πt/Period). It begins at the mean, rising, and has its peak
// after a quarter of the period.
type Sine struct {
	Mean, Amplitude Rate // Amplitude is at most Mean, so that the rate is never negative
	Period          time.Duration
}

// With m and A the mean and the amplitude per µs and P the period in µs,
//
//	N(t) = m·t + (A·P/2π)·(1 − cos(2πt/P))
//
// arrivals are due by t, and the i-th, from 0, comes at N(t) = i.
func (s Sine) times(d time.Duration, _ *rand.Rand, yield func(int64) bool) {
	length, at := d.Microseconds(), 0.0
	for i := range s.count(d) {
		at = s.solve(float64(i), at)
		if !yield(min(int64(at), length-1)) {
			return
		}
	}
}

func (s Sine) count(d time.Duration) int64 {
	due, _ := s.due(float64(d.Microseconds()))
	return int64(math.Ceil(min(due, Many)))
}

// due returns N(t) and its derivative, the rate at t in arrivals per µs.
func (s Sine) due(t float64) (n, rate float64) {
	m, a, period := s.Mean.perUS(), s.Amplitude.perUS(), float64(s.Period.Microseconds())
	sin, cos := math.Sincos(2 * math.Pi * math.Mod(t, period) / period)
	return m*t + a*period/(2*math.Pi)*(1-cos), m + a*sin
}

// solve returns the t ≥ from at which n arrivals are due, to a thousandth of a microsecond. It uses Newton's method
// within a shrinking bracket, since near a rate of zero Newton's method alone would jump away. N(t) lies between m·t
// and m·t + A·P/π, which gives the first bracket.
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
		if !(next > lo && next < hi) { // also if rate is 0 and next is not a number
			next = lo + (hi-lo)/2
		}
		if next == t {
			break
		}
		t = next
	}
	return max(from, t)
}
