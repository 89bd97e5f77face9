package counting

import (
	"fmt"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// The relative increases that are no regression.
const (
	WorkSlack      = 0.01 // of bytes
	CountSlack     = 0.01 // of the instructions of a path
	ContainerSlack = 0.04 // of the same on a container's server
)

// The gates' names, in the order in which they are shown.
const (
	GateDecisions    = "decisions"
	GateWork         = "work"
	GateInstructions = "instructions"
)

// Side is what was decided and counted of one script.
type Side struct {
	Name      string    // as it was asked for
	Label     string    // of its row
	Decisions []Decided // by scenario, the same ones on both sides
	Work      result.Work
}

// Decided is one scenario in virtual time.
type Decided struct {
	Scenario string
	measure.Result
}

// Report is what a comparison came to.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Kind          string   `json:"kind"` // "comparison"
	Base          string   `json:"base"` // the old script or algorithm, as it was asked for
	Head          string   `json:"head"` // the new one
	Server        string   `json:"server"`
	Verdict       Verdict  `json:"verdict"`
	Gates         []Gate   `json:"gates"`
	Notes         []string `json:"notes"` // what a reader must know
}

// Verdict is the comparison in one word and in sentences.
type Verdict struct {
	// OK (improvements included), Regression or Inconclusive
	Outcome  Outcome  `json:"outcome" jsonschema:"enum=ok,enum=regression,enum=inconclusive"`
	ExitCode int      `json:"exit_code" jsonschema:"enum=0,enum=1,enum=4"`
	Findings []string `json:"findings"` // regressions first, then what could not be judged, then improvements
}

// Gate is one kind of comparison.
type Gate struct {
	Name string `json:"name" jsonschema:"enum=decisions,enum=work,enum=instructions"`
	Rule string `json:"rule"`
	// the worst of its rows'
	Outcome Outcome     `json:"outcome" jsonschema:"enum=regression,enum=inconclusive,enum=improvement,enum=same,enum=noted"`
	Reason  string      `json:"reason,omitempty"` // why something could not be judged, or was not
	Rows    []Judgement `json:"rows"`
}

// Judgement is one measure of the two sides.
type Judgement struct {
	Limiter   string  `json:"limiter"` // of both sides, where they differ
	Where     string  `json:"where"`   // of decisions the scenario, of instructions the path; else empty
	Measure   string  `json:"measure" jsonschema:"minLength=1"`
	Base      Value   `json:"base"`
	Head      Value   `json:"head"`
	Outcome   Outcome `json:"outcome" jsonschema:"enum=regression,enum=improvement,enum=same,enum=noted"`
	Statement string  `json:"statement" jsonschema:"minLength=1"`
}

// Of compares two scripts on a server. counted has what was counted of base and of head; nil: that was left out.
func Of(base, head *Side, counted *Counted, server string) *Report {
	r := &Report{SchemaVersion: result.Comparison.Version, Kind: result.Comparison.Kind, Base: base.Name,
		Head: head.Name, Server: server, Notes: []string{}}
	name := base.Label
	if head.Label != name {
		name += " -> " + head.Label
	}
	r.Gates = []Gate{judgeDecisions(name, base.Decisions, head.Decisions), judgeWork(name, &base.Work, &head.Work),
		r.instructions(name, counted)}
	r.conclude()
	return r
}

// conclude draws the verdict from the gates. A regression outweighs what could not be judged; improvements are named
// and change nothing.
func (r *Report) conclude() {
	worst := Noted
	for i := range r.Gates {
		worst = worse(worst, r.Gates[i].Outcome)
	}
	r.Verdict = Verdict{Outcome: OK, Findings: []string{}}
	if worst == Regression || worst == Inconclusive {
		r.Verdict.Outcome = worst
	}
	r.Verdict.ExitCode = r.Verdict.Outcome.ExitCode()
	for _, outcome := range []Outcome{Regression, Inconclusive, Improvement} {
		for i := range r.Gates {
			r.Verdict.Findings = append(r.Verdict.Findings, r.Gates[i].findings(outcome)...)
		}
	}
}

// findings are a gate's rows of one outcome, each in a sentence.
func (g *Gate) findings(outcome Outcome) []string {
	if outcome == Inconclusive && g.Outcome != Noted && g.Reason != "" {
		return []string{fmt.Sprintf("%s %s: %s", Inconclusive, g.Name, g.Reason)}
	}
	var all []string
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			all = append(all, fmt.Sprintf("%s %s: %s: %s", outcome, g.Name, g.Rows[i].label(), g.Rows[i].Statement))
		}
	}
	return all
}

// label names what a row is about.
func (j *Judgement) label() string {
	if j.Where == "" {
		return j.Limiter
	}
	return j.Limiter + ", " + j.Where
}

func (g *Gate) add(j Judgement) {
	g.Rows = append(g.Rows, j)
	g.Outcome = worse(g.Outcome, j.Outcome)
}

// count is how many rows have an outcome.
func (g *Gate) count(outcome Outcome) int {
	n := 0
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			n++
		}
	}
	return n
}
