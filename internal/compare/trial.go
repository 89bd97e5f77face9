package compare

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/sheet"
)

// trial is one row of a timing gate on its way to an outcome: what was measured, and why it cannot be judged.
type trial struct {
	row            Judgement
	reason, remedy string
	otherwise      Outcome // the outcome where there is a reason: Inconclusive or Noted
}

// blocked reports whether something keeps the row from being judged.
func (t *trial) blocked() bool { return t.reason != "" }

// block keeps the first reason.
func (t *trial) block(otherwise Outcome, reason, remedy string) {
	if !t.blocked() && reason != "" {
		t.otherwise, t.reason, t.remedy = otherwise, reason, remedy
	}
}

// decide corrects the p-values of all that can be judged together, and applies the thresholds.
func decide(trials []*trial) {
	var judged []*Timing
	for _, t := range trials {
		if !t.blocked() {
			judged = append(judged, t.row.Timing)
		}
	}
	correct(judged)
	for _, t := range trials {
		if t.blocked() {
			t.row.Outcome = t.otherwise
			continue
		}
		t.row.Outcome = t.row.Timing.outcome()
		if t.row.Outcome == Inconclusive {
			t.tooWide(t.row.Timing)
		}
	}
}

func (t *trial) tooWide(timing *Timing) {
	high := "no end"
	if timing.RatioHigh != nil {
		high = times(*timing.RatioHigh)
	}
	t.block(Inconclusive, fmt.Sprintf("the interval of the ratio reaches %s, beyond %s", high, times(widestJudged)),
		"measure more pairs, or on a quieter machine")
}

// correct applies Holm's correction to each side of the tests.
func correct(judged []*Timing) {
	slower, faster := make([]float64, len(judged)), make([]float64, len(judged))
	for i, t := range judged {
		slower[i], faster[i] = t.PSlower, t.PFaster
	}
	slower, faster = holm(slower), holm(faster)
	for i, t := range judged {
		t.HolmSlower, t.HolmFaster = slower[i], faster[i]
	}
}

// gateOf is the gate that the trials add up to.
func gateOf(m *metric, trials []*trial) Gate {
	g := Gate{Name: m.gate, Rule: m.rule, Outcome: Noted, Reasons: []string{}, Rows: []Judgement{}}
	blocked := map[string][]string{}
	var order []string
	for _, t := range trials {
		t.row.Statement = t.statement()
		g.Rows = append(g.Rows, t.row)
		g.Outcome = worse(g.Outcome, t.row.Outcome)
		if !t.blocked() {
			continue
		}
		if blocked[t.reason] == nil {
			order = append(order, t.reason)
		}
		blocked[t.reason] = append(blocked[t.reason], t.row.label())
		if t.remedy != "" && t.row.Outcome == Inconclusive && !slices.Contains(g.remedies, t.remedy) {
			g.remedies = append(g.remedies, t.remedy)
		}
	}
	for _, reason := range order {
		g.Reasons = append(g.Reasons, attributed(reason, blocked[reason], len(trials)))
	}
	return g
}

// attributed says whose reason it is, unless it is everybody's.
func attributed(reason string, rows []string, all int) string {
	if len(rows) == all {
		return reason
	}
	const most = 3
	if more := len(rows) - most; more > 1 {
		rows = append(slices.Clone(rows[:most]), fmt.Sprintf("%d more", more))
	}
	return reason + " (" + strings.Join(rows, "; ") + ")"
}

// label names a row within its gate.
func (r *Judgement) label() string {
	if r.Where == "" {
		return r.Algorithm
	}
	return r.Algorithm + ", " + r.Where
}

func (t *trial) statement() string {
	if t.blocked() {
		return t.reason
	}
	switch t.row.Outcome {
	case Regression:
		return "slower by more than " + times(Threshold)
	case Improvement:
		return "faster by more than " + times(Threshold)
	}
	if t.row.Outcome == Unshown {
		return "nothing shown beyond " + times(Threshold) + ", nor that there is nothing"
	}
	if t.row.Timing.Confirm != nil {
		return "slower in the first run, and not in the second"
	}
	return "no difference beyond " + times(Threshold)
}

// times is a ratio as people read it.
func times(ratio float64) string {
	if ratio >= 10 {
		return sheet.Significant(ratio) + "x"
	}
	return fmt.Sprintf("%.2fx", ratio)
}
