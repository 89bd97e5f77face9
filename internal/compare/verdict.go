package compare

import (
	"fmt"
	"slices"
)

// conclude draws the verdict from the gates. A regression outweighs what could not be judged; improvements are named
// and change nothing.
func (r *Report) conclude() {
	worst := Noted
	for i := range r.Gates {
		worst = worse(worst, r.Gates[i].Outcome)
	}
	r.Verdict = Verdict{Findings: []string{}, Remedies: []string{}}
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
}

// find adds a gate's findings of one outcome: row by row, but for what could not be judged, where the reasons say all.
func (r *Report) find(g *Gate, outcome Outcome) {
	if outcome == Inconclusive {
		if !g.has(Inconclusive) {
			return
		}
		for _, reason := range g.Reasons {
			r.Verdict.Findings = append(r.Verdict.Findings, fmt.Sprintf("%s %s: %s", Inconclusive, g.Name, reason))
		}
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
	return fmt.Sprintf("%s: %s %s -> %s, %s, p %s", r.label(), r.Measure, r.Base, r.Head, r.Timing.ratioText(),
		probability(r.Timing.corrected()))
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

// corrected is the p-value on the side on which the ratio lies.
func (t *Timing) corrected() float64 {
	if t.Ratio != nil && *t.Ratio < 1 {
		return t.HolmFaster
	}
	return t.HolmSlower
}

// probability is p with two digits, and never 0.
func probability(p float64) string {
	switch {
	case p < 0.0001:
		return "<0.0001"
	case p < 0.01:
		return fmt.Sprintf("%.4f", p)
	}
	return fmt.Sprintf("%.2f", p)
}
