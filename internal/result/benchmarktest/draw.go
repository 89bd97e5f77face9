package benchmarktest

import (
	"math"
	"math/rand/v2"
	"slices"

	"ratelab/internal/result"
)

// draw draws durations. Each part of a document has its own, so that a change of one leaves the others.
type draw struct{ *rand.Rand }

func newDraw(name string) draw {
	var seed uint64
	for _, c := range name {
		seed = seed*31 + uint64(c)
	}
	return draw{rand.New(rand.NewPCG(seed, 1))}
}

// around is log-normal with this median; once in 400 it is a hiccup.
func (d draw) around(medianUS, sigma float64) int64 {
	us := medianUS * math.Exp(sigma*d.NormFloat64())
	if d.IntN(400) == 0 {
		us *= 4 + 12*d.Float64()
	}
	return max(1, int64(us))
}

// near is a figure that varies by about 4 % from round to round. It is rounded because processors differ in the last
// digit of an exponential.
func (d draw) near(figure float64) *float64 {
	return pointer(math.Round(1000*figure*math.Exp(0.04*d.NormFloat64())) / 1000)
}

func pointer[T any](v T) *T { return &v }

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// durations are empty.
func durations() result.Durations {
	return result.Durations{
		Lag: result.NewHistogram(), Wait: result.NewHistogram(), Service: result.NewHistogram(),
		Response: result.NewHistogram(),
	}
}

func outcomes() result.Outcomes {
	return result.Outcomes{Accepted: durations(), Rejected: durations()}
}

// record adds one request.
func record(d *result.Durations, lag, wait, service int64) {
	for _, r := range []struct {
		into *result.Histogram
		us   int64
	}{{d.Lag, lag}, {d.Wait, wait}, {d.Service, service}, {d.Response, lag + wait + service}} {
		if err := r.into.RecordValue(r.us); err != nil {
			panic(err) // nothing here comes near a minute
		}
	}
}
