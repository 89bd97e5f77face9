package algorithms

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"ratelab/internal/limit"
)

// envelope is an algorithm's Bound as a function. It returns the most that the algorithm admits for one key in a closed
// interval [s, s + tauUS] of its clock. No request may cost more than largestCost. A sum that does not fit into an
// int64 becomes the largest int64.
type envelope func(tauUS, largestCost int64) int64

// mostAdmitted returns e for half-open intervals (t − w, t] of whole µs, which are closed intervals of w − 1 µs. The
// clock shows multiples of stepUS, rounded down. The difference of two times that it shows is at most the real
// difference, rounded up to whole steps.
func (e envelope) mostAdmitted(stepUS int64) func(spanUS, largestCost int64) int64 {
	return func(spanUS, largestCost int64) int64 {
		tauUS := max(0, spanUS-1)
		return e(product(ceilDiv(tauUS, max(1, stepUS)), max(1, stepUS)), largestCost)
	}
}

// touching returns the envelope of counters for aligned windows: L for each window that an interval touches.
func touching(requests, windowUS int64) envelope {
	return func(tauUS, _ int64) int64 { return product(requests, ceilDiv(tauUS, windowUS)+1) }
}

// covering returns the envelope of algorithms that admit at most L in every window: L for each window needed to cover
// an interval.
func covering(requests, windowUS int64) envelope {
	return func(tauUS, _ int64) int64 { return product(requests, tauUS/windowUS+1) }
}

// refilling returns the envelope of a bucket that holds burst and gets l tokens every w µs: B + ⌊τ·l/w⌋.
func refilling(burst, w, l int64) envelope {
	return func(tauUS, _ int64) int64 {
		earned, _ := limit.Quotient(tauUS, l, w, math.MaxInt64)
		return sum(burst, earned)
	}
}

// product returns a·b, and sum returns a + b. Both are at most the largest int64. No argument may be negative.
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

// decimal formats numbers as arguments of a script.
func decimal(numbers ...int64) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.FormatInt(n, 10))
	}
	return out
}

// exactProduct returns an error, in terms of the user's input, if a·b + c cannot be computed exactly in a Lua number.
func exactProduct(what string, a, b, c int64, advice string) error {
	if sum(product(a, b), c) < limit.MaxExact {
		return nil
	}
	return fmt.Errorf("%s = %d * %d reaches 2^53, the limit of exact numbers in Lua; %s", what, a, b, advice)
}

// withinSpan returns an error if n*units exceeds most. Both are in units of time, of which a µs has unitsPerUS.
func withinSpan(what string, n, units, most, unitsPerUS int64) error {
	years := func(units float64) float64 {
		return units / float64(unitsPerUS) / float64(365*24*time.Hour.Microseconds())
	}
	if span := float64(n) * float64(units); span > float64(most) {
		return fmt.Errorf("%s takes %.0f years; want at most %.1f", what, years(span), years(float64(most)))
	}
	return nil
}

// floorProduct returns ⌊a·b/c⌋ exactly. No argument may be negative, and b ≤ c, so that the result fits.
func floorProduct(a, b, c int64) int64 {
	q, _ := limit.Quotient(a, b, c, a)
	return q
}

// ceilDiv returns ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

// floorDiv returns ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
