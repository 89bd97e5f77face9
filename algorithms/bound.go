package algorithms

import (
	"fmt"
	"math"
	"strconv"
	"time"

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

// decimal gives numbers as the scripts take them.
func decimal(numbers ...int64) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.FormatInt(n, 10))
	}
	return out
}

// exactProduct says why a·b + c cannot be done in a Lua number, in terms of what the user wrote.
func exactProduct(what string, a, b, c int64, advice string) error {
	if sum(product(a, b), c) < limit.MaxExact {
		return nil
	}
	return fmt.Errorf("%s = %d * %d reaches 2^53, up to which Lua counts exactly; %s", what, a, b, advice)
}

// withinSpan says whether something takes too long: n times so many units, of which most are too many. A µs has
// unitsPerUS.
func withinSpan(what string, n, units, most, unitsPerUS int64) error {
	years := func(units float64) float64 {
		return units / float64(unitsPerUS) / float64(365*24*time.Hour.Microseconds())
	}
	if span := float64(n) * float64(units); span > float64(most) {
		return fmt.Errorf("%s takes %.0f years; want at most %.1f", what, years(span), years(float64(most)))
	}
	return nil
}

// floorProduct is ⌊a·b/c⌋, exactly; none is negative, and b ≤ c so that the result fits.
func floorProduct(a, b, c int64) int64 {
	q, _ := limit.Quotient(a, b, c, a)
	return q
}

// ceilDiv is ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

// floorDiv is ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
