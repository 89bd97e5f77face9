package recommend

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
)

// Tolerance is what a candidate may do wrong, and cost. The shares are of cost: of what an exact limiter lets through,
// and of what the candidate admits; a nil bound is none.
type Tolerance struct {
	// times what the contract allows, on this traffic and in a promise
	MaxOvershoot float64  `json:"max_overshoot"`
	MaxExcess    float64  `json:"max_excess" jsonschema:"maximum=1"`
	MaxShortfall float64  `json:"max_shortfall" jsonschema:"maximum=1"`
	MaxDelayUS   int64    `json:"max_delay_us"`
	MaxCalls     *float64 `json:"max_redis_calls_per_decision,omitempty"`
	// tries a success, of clients that react
	MaxAmplification *float64 `json:"max_amplification,omitempty"`
	MaxBytes         *float64 `json:"max_bytes_per_key,omitempty"`
	MaxServerUS      *float64 `json:"max_server_us_per_decision,omitempty"`
}

// DefaultTolerance allows a tenth more than the contract in the worst interval, a hundredth of the admitted beyond it,
// a hundredth less than an exact limiter lets through, and no delay.
//
// Note: an overshoot of exactly 1 would be the plainer default. It admits only what keeps a log or is stricter, and the
// usual reason to ask at all is to pay less than a log.
func DefaultTolerance() Tolerance {
	return Tolerance{MaxOvershoot: 1.1, MaxExcess: 0.01, MaxShortfall: 0.01}
}

// tries is the amplification that is tolerated.
func (t Tolerance) tries() float64 {
	if t.MaxAmplification == nil {
		return math.Inf(1)
	}
	return *t.MaxAmplification
}

// needed is in how many of so many seeds the tolerance must be kept: 19 of 20.
func needed(seeds int) int { return (19*seeds + 19) / 20 }

// strictBurst is the largest burst with which a bucket promises no more than the tolerated multiple of L requests in a
// window: the tolerance less one, of L, in decimals, so that 1.1 of 1000 gives 100. 0: there is none.
func (t Tolerance) strictBurst(requests int64) int64 {
	over, ok := new(big.Rat).SetString(decimal(t.MaxOvershoot))
	if !ok {
		return 0
	}
	over.Sub(over, big.NewRat(1, 1)).Mul(over, new(big.Rat).SetInt64(requests))
	whole := new(big.Int).Div(over.Num(), over.Denom())
	if !whole.IsInt64() || whole.Int64() < 1 {
		return 0
	}
	return min(whole.Int64(), limit.MaxRequests)
}

// The measures that can exclude, by their names in JSON.
const (
	measureOvershoot     = "overshoot"
	measureShortfall     = "shortfall"
	measureExcess        = "excess"
	measureDelay         = "delay"
	measureAmplification = "amplification"
	measurePromise       = "promise"
	measureCalls         = "redis_calls_per_decision"
	measureBytes         = "bytes_per_key"
	measureServerUS      = "server_us_per_decision"
)

// String is the tolerance in words.
func (t Tolerance) String() string {
	parts := []string{
		fmt.Sprintf("at most %s x what the contract allows", decimal(t.MaxOvershoot)),
		fmt.Sprintf("%s excess", given(t.MaxExcess)),
		fmt.Sprintf("%s shortfall", given(t.MaxShortfall)),
	}
	if t.MaxDelayUS > 0 {
		parts = append(parts, sheet.Span(t.MaxDelayUS)+" delay")
	}
	if t.MaxAmplification != nil {
		parts = append(parts, decimal(*t.MaxAmplification)+" tries a success")
	}
	if t.MaxCalls != nil {
		parts = append(parts, fmt.Sprintf("%s Redis commands a decision", decimal(*t.MaxCalls)))
	}
	if t.MaxBytes != nil {
		parts = append(parts, fmt.Sprintf("%s bytes a key", decimal(*t.MaxBytes)))
	}
	if t.MaxServerUS != nil {
		parts = append(parts, fmt.Sprintf("%s us of the server a decision", decimal(*t.MaxServerUS)))
	}
	return strings.Join(parts, ", ")
}

// flagFor is the command line's way to allow as much as got of a measure: rounded up, so that it admits.
func flagFor(measure string, got float64) string {
	switch measure {
	case measureOvershoot, measurePromise:
		return "--max-overshoot " + decimal(roundUp(got, 100))
	case measureShortfall:
		return "--max-shortfall " + percentUp(got)
	case measureExcess:
		return "--max-excess " + percentUp(got)
	case measureDelay:
		return "--max-delay " + limit.FormatDuration(time.Duration(got)*time.Microsecond)
	case measureAmplification:
		return "--max-amplification " + decimal(roundUp(got, 100))
	case measureCalls:
		return "--max-calls " + decimal(roundUp(got, 100))
	case measureBytes:
		return "--max-bytes " + decimal(roundUp(got, 1))
	}
	return "--max-cost " + decimal(roundUp(got, 1)) + "us"
}

// roundUp is the least multiple of 1/parts that is not below v.
func roundUp(v, parts float64) float64 {
	n := math.Ceil(v * parts)
	if (n-1)/parts >= v { // the product was rounded upwards
		n--
	}
	if n/parts < v {
		n++
	}
	return n / parts
}

// given is a share that somebody chose, as a percentage without any digit that they did not mean.
func given(share float64) string { return trimmed(100*share, 6) + "%" }

// apart are two shares as percentages, with as many digits as it takes to tell them apart where they are not the same.
func apart(a, b float64) (string, string) {
	first, second := sheet.Percent(a), sheet.Percent(b)
	for digits := 2; first == second && a != b && digits < 12; digits++ {
		first, second = strconv.FormatFloat(100*a, 'f', digits, 64)+"%", strconv.FormatFloat(100*b, 'f', digits, 64)+"%"
	}
	return first, second
}

// apartBy are two figures with as many digits as it takes to tell them apart where they are not the same.
func apartBy(a, b float64) (string, string) {
	digits := 2
	for ; trimmed(a, digits) == trimmed(b, digits) && a != b && digits < 12; digits++ {
		continue
	}
	return trimmed(a, digits), trimmed(b, digits)
}

// percentUp is a share in hundredths of a percent, rounded up.
func percentUp(share float64) string {
	return decimal(math.Round(roundUp(share, 10_000)*10_000)/100) + "%"
}

// decimal is the shortest decimal that reads back as v, never with an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// trimmed is v with at most so many digits behind the point, and no zeros at its end.
func trimmed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// beyond is got with as many digits as it takes to see that it is more than most: 1.10 is not more than 1.1, 1.1004 is.
func beyond(got, most, scale float64, digits int) string {
	bound, _ := strconv.ParseFloat(decimal(most*scale), 64)
	for ; digits < 12; digits++ {
		text := strconv.FormatFloat(got*scale, 'f', digits, 64)
		if shown, err := strconv.ParseFloat(text, 64); err == nil && shown > bound {
			return text
		}
	}
	return decimal(got * scale)
}
