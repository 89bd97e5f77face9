package compare

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// conclude draws the verdict from the gates. A regression outweighs what could not be judged; improvements are named
// and change nothing.
func (r *Report) conclude() {
	worst := Noted
	for i := range r.Gates {
		if g := &r.Gates[i]; r.dispensable(g) {
			r.Notes = append(r.Notes, fmt.Sprintf("instructions were counted, and %s gives no second opinion: %s",
				g.Name, strings.Join(g.Reasons, "; ")))
		} else {
			worst = worse(worst, g.Outcome)
		}
	}
	r.Verdict, r.pairs = Verdict{Findings: []string{}, Remedies: []string{}}, 0
	switch worst {
	case Regression, Inconclusive:
		r.Verdict.Outcome = worst
	case Noted:
		r.Verdict.Outcome = Inconclusive
		r.Verdict.Findings = append(r.Verdict.Findings, "inconclusive: no gate could judge anything")
	default:
		r.Verdict.Outcome = OK
	}
	r.Verdict.ExitCode = r.Verdict.Outcome.ExitCode()
	for _, outcome := range []Outcome{Regression, Inconclusive, Improvement} {
		for i := range r.Gates {
			r.find(&r.Gates[i], outcome)
		}
	}
	if r.pairs > 0 {
		r.Verdict.Remedies = append(r.Verdict.Remedies, fmt.Sprintf("measure more pairs: --pairs %d", r.pairs))
	}
}

// dispensable reports whether a gate is a second opinion that can be done without: timings that cannot be judged, where
// the instructions that a decision takes were.
func (r *Report) dispensable(g *Gate) bool {
	return g.timed() && g.Outcome == Inconclusive && slices.ContainsFunc(r.Gates, func(g Gate) bool {
		return g.Name == GateInstructions && g.Outcome != Inconclusive && g.Outcome != Noted
	})
}

// find adds a gate's findings of one outcome: row by row, but for what could not be judged, where the reasons say all.
func (r *Report) find(g *Gate, outcome Outcome) {
	if outcome == Inconclusive {
		if !g.has(Inconclusive) || r.dispensable(g) {
			return
		}
		for _, reason := range g.Reasons {
			r.Verdict.Findings = append(r.Verdict.Findings, fmt.Sprintf("%s %s: %s", Inconclusive, g.Name, reason))
		}
		r.pairs = max(r.pairs, g.pairs)
		for _, remedy := range g.remedies {
			if !slices.Contains(r.Verdict.Remedies, remedy) {
				r.Verdict.Remedies = append(r.Verdict.Remedies, remedy)
			}
		}
		return
	}
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			r.Verdict.Findings = append(r.Verdict.Findings,
				fmt.Sprintf("%s %s: %s", outcome, g.Name, g.Rows[i].finding()))
		}
	}
}

func (g *Gate) has(outcome Outcome) bool {
	return slices.ContainsFunc(g.Rows, func(r Judgement) bool { return r.Outcome == outcome })
}

// finding is a row in one sentence.
func (r *Judgement) finding() string {
	if r.Timing == nil {
		return fmt.Sprintf("%s: %s", r.label(), r.Statement)
	}
	return fmt.Sprintf("%s: %s %s -> %s, %s after %s", r.label(), r.Measure, r.Base, r.Head, r.Timing.ratioText(),
		message.Count(r.Timing.Samples, "pair"))
}

// ratioText is the median ratio with its interval: 1.21x [1.18, 1.24].
func (t *Timing) ratioText() string {
	if t.Ratio == nil {
		return "-"
	}
	low, high := "0", "inf"
	if t.RatioLow != nil {
		low = fmt.Sprintf("%.2f", *t.RatioLow)
	}
	if t.RatioHigh != nil {
		high = fmt.Sprintf("%.2f", *t.RatioHigh)
	}
	return fmt.Sprintf("%s [%s, %s]", times(*t.Ratio), low, high)
}
