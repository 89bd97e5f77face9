package counting

import (
	"encoding/json"
	"math"
	"strconv"

	"ratelab/internal/report"
)

// Outcome is what a comparison, a gate or all of them came to.
type Outcome string

// The outcomes, the gravest first.
const (
	Regression   Outcome = "regression"
	Inconclusive Outcome = "inconclusive"
	Improvement  Outcome = "improvement"
	Same         Outcome = "same"  // no difference that counts
	Noted        Outcome = "noted" // shown, not judged
	OK           Outcome = "ok"    // of a verdict: neither a regression nor inconclusive
)

var gravity = map[Outcome]int{Regression: 4, Inconclusive: 3, Improvement: 2, Same: 1, Noted: 0}

// worse is the graver of the two.
func worse(a, b Outcome) Outcome {
	if gravity[b] > gravity[a] {
		return b
	}
	return a
}

// ExitCode is the exit status that reports the outcome: 1 a regression, 4 inconclusive, else 0.
func (o Outcome) ExitCode() int {
	switch o {
	case Regression:
		return 1
	case Inconclusive:
		return 4
	}
	return 0
}

// Value is one side's figure: a number, a text such as a hash, or nothing. In JSON it is a number, a string or null.
type Value struct {
	Number *float64
	Text   string
}

func number(f float64) Value { return Value{Number: &f} }

func optional(f *float64) Value { return Value{Number: f} }

func optionalCount(n *int64) Value {
	if n == nil {
		return Value{}
	}
	return number(float64(*n))
}

// equal allows numbers the rounding of a division or two.
func (v Value) equal(other Value) bool {
	if v.Number == nil || other.Number == nil {
		return v.Number == nil && other.Number == nil && v.Text == other.Text
	}
	return math.Abs(*v.Number-*other.Number) <= 1e-9*math.Abs(*v.Number)
}

// String is the figure as people read it: counts in full, what is measured with three digits at least.
func (v Value) String() string {
	switch {
	case v.Number != nil && (*v.Number == math.Trunc(*v.Number) || math.Abs(*v.Number) >= 1000) &&
		math.Abs(*v.Number) < 1e15:
		return strconv.FormatFloat(*v.Number, 'f', 0, 64)
	case v.Number != nil:
		return report.Significant(*v.Number)
	case v.Text != "":
		return v.Text
	}
	return "-"
}

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Number == nil && v.Text != "" {
		return json.Marshal(v.Text)
	}
	return json.Marshal(v.Number)
}
