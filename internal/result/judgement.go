package result

// Verdict is the result of comparing two scripts, in one word and in sentences.
type Verdict struct {
	Base   string `json:"base"` // the old script or algorithm, as it was given
	Head   string `json:"head"` // the new one
	Server string `json:"server"`
	// OK (improvements included), Regression or Inconclusive
	Outcome  Outcome  `json:"outcome"`
	Findings []string `json:"findings"` // regressions first, then comparisons that were inconclusive, then improvements
	Gates    []Gate   `json:"gates"`
}

// Gate is one kind of comparison.
type Gate struct {
	Name string `json:"name" jsonschema:"enum=decisions,enum=work,enum=instructions"`
	Rule string `json:"rule"`
	// the worst outcome of its rows, or inconclusive if something could not be judged
	Outcome Outcome     `json:"outcome"`
	Reason  string      `json:"reason,omitempty"` // why something was not judged
	Rows    []Judgement `json:"rows"`
}

// Judgement compares one measure of the two sides.
type Judgement struct {
	Limiter string `json:"limiter"` // both limiters if they differ
	Where   string `json:"where"`   // the scenario of decisions, or the path of instructions; otherwise empty
	Measure string `json:"measure" jsonschema:"minLength=1"`
	// a number, a text such as a hash, or null if there is no value
	Base      any     `json:"base" jsonschema:"oneof_type=number;string;null"`
	Head      any     `json:"head" jsonschema:"oneof_type=number;string;null"`
	Outcome   Outcome `json:"outcome"`
	Statement string  `json:"statement" jsonschema:"minLength=1"`
}

// Outcome is the result of a comparison, of a gate, or of all gates.
type Outcome string

// The outcomes, the most serious first.
const (
	Regression   Outcome = "regression"
	Inconclusive Outcome = "inconclusive"
	Improvement  Outcome = "improvement"
	Same         Outcome = "same"  // no difference that matters
	Noted        Outcome = "noted" // shown, not judged
	OK           Outcome = "ok"    // only of a verdict: neither a regression nor inconclusive
)

var gravity = map[Outcome]int{Regression: 4, Inconclusive: 3, Improvement: 2, Same: 1, Noted: 0}

// Worse returns the more serious outcome.
func (o Outcome) Worse(other Outcome) Outcome {
	if gravity[other] > gravity[o] {
		return other
	}
	return o
}

// Add adds a row and updates the outcome.
func (g *Gate) Add(j Judgement) {
	g.Rows = append(g.Rows, j)
	g.Outcome = g.Outcome.Worse(j.Outcome)
}

// Count returns how many rows have the outcome.
func (g *Gate) Count(outcome Outcome) int {
	n := 0
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// Label returns the limiter of a row, with the scenario or the path.
func (j *Judgement) Label() string {
	if j.Where == "" {
		return j.Limiter
	}
	return j.Limiter + ", " + j.Where
}
