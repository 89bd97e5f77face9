package benchmarktest

import (
	"math"
	"math/rand/v2"

	"ratelab/internal/result"
)

// draw draws random durations. Each part of a document has its own draw, so that changes of one part do not affect
// others.
type draw struct{ *rand.Rand }

func newDraw(name string) draw {
	var seed uint64
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	return draw{rand.New(rand.NewPCG(seed, 1))}
}

// around returns a log-normal value with this median. One value in 400 is an outlier.
func (d draw) around(medianUS, sigma float64) int64 {
	us := medianUS * math.Exp(sigma*d.NormFloat64())
	if d.IntN(400) == 0 {
		us *= 4 + 12*d.Float64()
	}
	return max(1, int64(us))
}

// near returns a figure that varies by about 4 % between rounds. It is rounded because the last digit of an exponential
// differs between processors.
func (d draw) near(figure float64) *float64 {
	return new(math.Round(1000*figure*math.Exp(0.04*d.NormFloat64())) / 1000)
}

// record adds one request.
func record(d *result.Durations, lag, wait, service int64) {
	for i, us := range []int64{lag, wait, service, lag + wait + service} {
		if err := d.Stretches()[i].RecordValue(us); err != nil {
			panic(err) // all values are far below a minute
		}
	}
}
