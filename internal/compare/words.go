package compare

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// The sentences that the table and the Markdown share.

// headline is the verdict in one line.
func (r *Report) headline() string {
	var judged []string
	for i := range r.Gates {
		if r.Gates[i].Outcome == r.Verdict.Outcome {
			judged = append(judged, r.Gates[i].Name)
		}
	}
	switch r.Verdict.Outcome {
	case Regression:
		return "REGRESSION in " + strings.Join(judged, ", ")
	case Inconclusive:
		if judged == nil {
			return "INCONCLUSIVE: nothing can be judged"
		}
		return "INCONCLUSIVE: " + strings.Join(judged, ", ") + " cannot be judged"
	}
	if n := r.count(Improvement); n > 0 {
		return "no regression, " + message.Count(n, "improvement")
	}
	return "no regression"
}

func (r *Report) count(outcome Outcome) int {
	n := 0
	for i := range r.Gates {
		n += r.Gates[i].count(outcome)
	}
	return n
}

func (g *Gate) count(outcome Outcome) int {
	n := 0
	for i := range g.Rows {
		if g.Rows[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// described names what was compared in one line, the server once where it is one.
func (r *Report) described() string {
	if r.Base.Server == r.Head.Server {
		return fmt.Sprintf("%s against %s, on %s", r.Head.Name, r.Base.Name, r.Head.Server)
	}
	return fmt.Sprintf("%s (%s) against %s (%s)", r.Head.Name, r.Head.Server, r.Base.Name, r.Base.Server)
}

// outcomeWord is how a gate or a row reads; what counts as bad news stands out.
func outcomeWord(o Outcome) string {
	switch o {
	case Regression:
		return "REGRESSION"
	case Improvement:
		return "improved"
	case Noted:
		return "not judged"
	}
	return string(o)
}

// summary is what a gate compared, and the ratio furthest up.
func (g *Gate) summary() string {
	s := message.Count(len(g.Rows), "comparison")
	for _, part := range []struct {
		outcome Outcome
		words   string
	}{{Regression, "worse"}, {Improvement, "better"}, {Inconclusive, "unclear"}} {
		if n := g.count(part.outcome); n > 0 && n < len(g.Rows) {
			s += fmt.Sprintf(", %d %s", n, part.words)
		}
	}
	if top := g.highest(); top != nil {
		s += fmt.Sprintf(", at most %s", times(*top.Timing.Ratio))
		if len(g.Rows) > 1 {
			s += fmt.Sprintf(" (%s)", top.label())
		}
	}
	return s
}

// highest is the row with the greatest ratio, or nothing.
func (g *Gate) highest() *Judgement {
	var top *Judgement
	for i := range g.Rows {
		r := &g.Rows[i]
		if r.Timing != nil && r.Timing.Ratio != nil && (top == nil || *r.Timing.Ratio > *top.Timing.Ratio) {
			top = r
		}
	}
	return top
}

// fewRows is how many timings of one gate are shown even if nothing happened to them.
const fewRows = 4

// worthShowing are the timings of a gate that a short answer shows: all of a few, else what changed.
func (g *Gate) worthShowing() []Judgement {
	if len(g.Rows) <= fewRows {
		return g.Rows
	}
	if g.count(Inconclusive) == len(g.Rows) {
		return nil // the reason says it once
	}
	return slices.DeleteFunc(slices.Clone(g.Rows), func(r Judgement) bool {
		return r.Outcome == Same || r.Outcome == Noted
	})
}

// timed reports whether a gate is of timings.
func (g *Gate) timed() bool { return g.Name == GateClientP99 || slices.Contains(judged, g.Name) }

// floorText is a noise floor, beside every figure.
func (t *Timing) floorText() string {
	if t.NoiseFloor == nil {
		return "-"
	}
	return times(*t.NoiseFloor)
}

// capped keeps the first of many lines and says how many there are.
func capped(lines []string, most int) []string {
	if len(lines) <= most+1 {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("... and %d more: the JSON lists them", len(lines)-most))
}
