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

// Side is what was decided and counted of one script.
type Side struct {
	Name            string // as it was asked for
	Label           string // of its row
	measure.Figures        // what a decision takes in virtual time, of all scenarios together
	Bytes           Bytes  // of a call
}

// Bytes are those of a call, the mean of as many admitted as rejected.
type Bytes struct {
	Sent, Received float64 // on the connection
	Replicated     float64 // to a replica
}

// Of compares two scripts on a server. Each run has the rows of base and of head. counted has what was counted of both;
// nil: that was left out.
func Of(base, head *Side, runs []*result.Run, counted *Counted, server string) *result.Document {
	name := base.Label
	if head.Label != name {
		name += " -> " + head.Label
	}
	v := result.Verdict{Base: base.Name, Head: head.Name, Server: server}
	instructions, notes := judgeInstructions(name, counted)
	v.Gates = []result.Gate{judgeDecisions(name, runs), judgeWork(name, base, head), instructions}
	conclude(&v)
	doc := result.New(result.OfCompare, "")
	doc.Verdicts, doc.Notes = []result.Verdict{v}, notes
	return doc
}

// conclude draws the verdict from the gates. A regression outweighs what could not be judged; improvements are named
// and change nothing.
func conclude(v *result.Verdict) {
	worst := result.Noted
	for i := range v.Gates {
		worst = worst.Worse(v.Gates[i].Outcome)
	}
	v.Outcome = result.OK
	if worst == result.Regression || worst == result.Inconclusive {
		v.Outcome = worst
	}
	for _, outcome := range []result.Outcome{result.Regression, result.Inconclusive, result.Improvement} {
		for i := range v.Gates {
			v.Findings = append(v.Findings, findings(&v.Gates[i], outcome)...)
		}
	}
}

// findings are a gate's rows of one outcome, each in a sentence.
func findings(g *result.Gate, outcome result.Outcome) []string {
	if outcome == result.Inconclusive && g.Outcome != result.Noted && g.Reason != "" {
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
