package compare

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// trial is one row of a timing gate: what was measured, its outcome, and why it could not be judged.
type trial struct {
	row            Judgement
	reason, remedy string // of an outcome that is Inconclusive or Noted
	pairs          int    // how many would probably be a remedy; 0: they would be none
}

// leaveOut keeps a row from being judged.
func (t *trial) leaveOut(reason string) { t.row.Outcome, t.reason = Noted, reason }

// obstruct makes a row inconclusive if there is a reason, which goes before any other.
func (t *trial) obstruct(reason, remedy string) {
	if reason != "" {
		t.row.Outcome, t.reason, t.remedy, t.pairs = Inconclusive, reason, remedy, 0
		t.row.Timing.MorePairs = 0
	}
}

// judge takes the outcome from the interval. Where that tells nothing, it says how many pairs probably would.
func (t *trial) judge() {
	timing := t.row.Timing
	if t.row.Outcome = timing.logs.outcome(); t.row.Outcome != Inconclusive {
		return
	}
	timing.MorePairs = timing.logs.more(timing.Samples)
	t.reason = fmt.Sprintf("after %s the ratio is %s; about %d more are needed", message.Count(timing.Samples, "pair"),
		timing.ratioText(), timing.MorePairs)
	if t.pairs = timing.Samples + timing.MorePairs; t.pairs > MostPairs {
		t.pairs, t.remedy = 0, quieter
	}
}

// gateOf is the gate that the trials add up to.
func gateOf(m *metric, trials []*trial) Gate {
	g := Gate{Name: m.gate, Rule: m.rule, Outcome: Noted, Reasons: []string{}, Rows: []Judgement{}}
	rows := map[string][]string{} // by reason
	var order []string
	for _, t := range trials {
		t.row.Statement = t.statement()
		g.Rows = append(g.Rows, t.row)
		g.Outcome = worse(g.Outcome, t.row.Outcome)
		if t.reason == "" {
			continue
		}
		g.pairs = max(g.pairs, t.pairs)
		if rows[t.reason] == nil {
			order = append(order, t.reason)
		}
		rows[t.reason] = append(rows[t.reason], t.row.label())
		if t.remedy != "" && !slices.Contains(g.remedies, t.remedy) {
			g.remedies = append(g.remedies, t.remedy)
		}
	}
	for _, reason := range order {
		g.Reasons = append(g.Reasons, attributed(reason, rows[reason], len(trials)))
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
	switch {
	case t.reason != "":
		return t.reason
	case t.row.Outcome == Regression:
		return "slower by more than " + times(Tolerated)
	case t.row.Outcome == Improvement:
		return "faster by more than " + times(Tolerated)
	case t.row.Timing.Confirm != nil:
		return "slower in the first run, and not in the second"
	}
	return "no difference beyond " + times(Equivalent)
}

// times is a ratio as people read it.
func times(ratio float64) string {
	if ratio >= 10 {
		return sheet.Significant(ratio) + "x"
	}
	return fmt.Sprintf("%.2fx", ratio)
}
