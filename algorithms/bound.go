package algorithms

import (
	"math"

	"ratelab/internal/limit"
)

// envelope is an algorithm's Bound in numbers: the most that it admits for one key in a closed interval [s, s + tauUS]
// of the clock that it goes by, when no request costs more than largestCost. Sums that do not fit an int64 are its
// largest value.
type envelope func(tauUS, largestCost int64) int64

// mostAdmitted is e for the half-open intervals (t − w, t] of whole µs, which are the closed ones of w − 1 µs, as a
// clock in steps of stepUS shows them: floored, two instants lie apart by at most the next whole number of steps.
func (e envelope) mostAdmitted(stepUS int64) func(spanUS, largestCost int64) int64 {
	return func(spanUS, largestCost int64) int64 {
		tauUS := max(0, spanUS-1)
		return e(product(ceilDiv(tauUS, max(1, stepUS)), max(1, stepUS)), largestCost)
	}
}

// touching is the envelope of counters for aligned windows: L for each window that an interval touches.
func touching(requests, windowUS int64) envelope {
	return func(tauUS, _ int64) int64 { return product(requests, ceilDiv(tauUS, windowUS)+1) }
}

// covering is that of what keeps to L in every window: L for each window that it takes to cover an interval.
func covering(requests, windowUS int64) envelope {
	return func(tauUS, _ int64) int64 { return product(requests, tauUS/windowUS+1) }
}

// refilling is that of a bucket which holds burst, and gets l every w µs: B + ⌊τ·l/w⌋.
func refilling(burst, w, l int64) envelope {
	return func(tauUS, _ int64) int64 {
		earned, _ := limit.Quotient(tauUS, l, w, math.MaxInt64)
		return sum(burst, earned)
	}
}

// product is a·b, and sum a + b, of numbers that are not negative; or the largest int64.
func product(a, b int64) int64 {
	p, _ := limit.Quotient(a, b, 1, math.MaxInt64)
	return p
}

func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
