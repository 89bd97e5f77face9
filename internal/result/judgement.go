package result

// Verdict is what two scripts differ in, in one word and in sentences.
type Verdict struct {
	Base   string `json:"base"` // the old script or algorithm, as it was asked for
	Head   string `json:"head"` // the new one
	Server string `json:"server"`
	// OK (improvements included), Regression or Inconclusive
	Outcome  Outcome  `json:"outcome"`
	Findings []string `json:"findings"` // regressions first, then what could not be judged, then improvements
	Gates    []Gate   `json:"gates"`
}

// Gate is one kind of comparison.
type Gate struct {
	Name string `json:"name" jsonschema:"enum=decisions,enum=work,enum=instructions"`
	Rule string `json:"rule"`
	// the worst of its rows' outcomes, or inconclusive where something could not be judged
	Outcome Outcome     `json:"outcome"`
	Reason  string      `json:"reason,omitempty"` // why something could not be judged, or was not
	Rows    []Judgement `json:"rows"`
}

// Judgement is one measure of the two sides.
type Judgement struct {
	Limiter string `json:"limiter"` // of both sides, where they differ
	Where   string `json:"where"`   // of decisions the scenario, of instructions the path; else empty
	Measure string `json:"measure" jsonschema:"minLength=1"`
	// a number, a text such as a hash, or null where there is none
	Base      any     `json:"base" jsonschema:"oneof_type=number;string;null"`
	Head      any     `json:"head" jsonschema:"oneof_type=number;string;null"`
	Outcome   Outcome `json:"outcome"`
	Statement string  `json:"statement" jsonschema:"minLength=1"`
}

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

// Worse is the graver of the two.
func (o Outcome) Worse(other Outcome) Outcome {
	if gravity[other] > gravity[o] {
		return other
	}
	return o
}

// Add adds a row.
func (g *Gate) Add(j Judgement) {
	g.Rows = append(g.Rows, j)
	g.Outcome = g.Outcome.Worse(j.Outcome)
}

// Count is how many rows have an outcome.
func (g *Gate) Count(outcome Outcome) int {
	n := 0
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// Label names what a row is about.
func (j *Judgement) Label() string {
	if j.Where == "" {
		return j.Limiter
	}
	return j.Limiter + ", " + j.Where
}
