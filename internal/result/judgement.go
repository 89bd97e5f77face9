package result

import "fmt"

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
	Name string `json:"name"` // decisions, work, instructions; of check: expectations, figures, findings
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
	Script    string  `json:"script,omitempty"` // the file of the limiter's script; absent if it is built in
	Line      int     `json:"line,omitempty"`   // the line of the script; absent if unknown
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

// Conclude derives the verdict from the gates. A regression takes priority over an inconclusive gate. Improvements are
// listed, but do not change the verdict.
func (v *Verdict) Conclude() {
	worst := Noted
	for i := range v.Gates {
		worst = worst.Worse(v.Gates[i].Outcome)
	}
	v.Outcome = OK
	if worst == Regression || worst == Inconclusive {
		v.Outcome = worst
	}
	for _, outcome := range []Outcome{Regression, Inconclusive, Improvement} {
		for i := range v.Gates {
			v.Findings = append(v.Findings, v.Gates[i].findings(outcome)...)
		}
	}
}

// findings returns a sentence for each row of a gate with the given outcome. If the gate has a reason to be
// inconclusive, one sentence with this reason replaces the sentences of its inconclusive rows.
func (g *Gate) findings(outcome Outcome) []string {
	if outcome == Inconclusive && g.Outcome != Noted && g.Reason != "" {
		return []string{fmt.Sprintf("%s %s: %s", outcome, g.Name, g.Reason)}
	}
	var all []string
	for i := range g.Rows {
		if j := &g.Rows[i]; j.Outcome == outcome {
			all = append(all, fmt.Sprintf("%s %s: %s: %s", outcome, g.Name, j.Label(), j.Statement))
		}
	}
	return all
}

// JudgeDecisions compares the decisions of both limiters, run by run. Each run has two rows: base and head.
func JudgeDecisions(name string, runs []*Run) Gate {
	g := Gate{Name: "decisions", Outcome: Noted, Rule: "exactly the same decisions in virtual time"}
	for _, r := range runs {
		base, head := &r.Results[0], &r.Results[1]
		j := Judgement{Limiter: name, Where: r.Scenario, Measure: "decisions_digest", Base: base.DecisionsDigest,
			Head: head.DecisionsDigest, Outcome: Same, Statement: "the same decisions"}
		if len(r.Alike()) > 1 {
			j.Outcome = Regression
			j.Statement = fmt.Sprintf("admitted %d -> %d of %d", base.Admitted, head.Admitted, base.Offered)
		}
		g.Add(j)
	}
	return g
}
