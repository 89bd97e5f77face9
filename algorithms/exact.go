package algorithms

import (
	"fmt"
	"strconv"
	"time"

	"ratelab/internal/limit"
)

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
