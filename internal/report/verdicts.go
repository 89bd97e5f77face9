package report

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// VerdictFormats are the formats of a document with verdicts.
var VerdictFormats = Formats{Sheet: verdictSheet, Width: 100, CSV: writeJudgements,
	Verdicts: func(d *result.Document) []result.Verdict { return d.Verdicts }}

// mostFindings is the most findings in the output. GitHub refuses comments of more than 65,536 characters.
const mostFindings = 20

// verdictSheet returns the verdict, a table with a line per gate, the findings and the notes.
func verdictSheet(d *result.Document) Sheet {
	v := &d.Verdicts[0]
	described := fmt.Sprintf("%s against %s, on %s", v.Head, v.Base, v.Server)
	return Sheet{{
		Lead:   []Line{{Term: headline(v), Text: described}},
		Tables: []Table{gateTable(v)},
		Notes:  Items(slices.Concat(capped(v.Findings), unjudged(d))...),
	}}
}

// headline returns the verdict in one line.
func headline(v *result.Verdict) string {
	var names []string
	improved := 0
	for i := range v.Gates {
		if v.Gates[i].Outcome == v.Outcome {
			names = append(names, v.Gates[i].Name)
		}
		improved += v.Gates[i].Count(result.Improvement)
	}
	switch {
	case v.Outcome == result.Regression:
		return "REGRESSION in " + strings.Join(names, ", ")
	case v.Outcome == result.Inconclusive:
		return "INCONCLUSIVE: " + strings.Join(names, ", ") + " cannot be judged"
	case improved > 0:
		return "no regression, " + message.Count(improved, "improvement")
	}
	return "no regression"
}

func gateTable(v *result.Verdict) Table {
	t := Table{Columns: []Column{{Name: "gate", Words: true}, {Name: "outcome", Words: true},
		{Name: "compared", Words: true, Widest: 72, Narrowest: 24, Break: BreakWords}}}
	for i := range v.Gates {
		g := &v.Gates[i]
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{{Text: g.Name}, outcomeCell(g.Outcome),
			{Text: compared(g)}}})
	}
	return t
}

// outcomeCell returns the cell for an outcome. Outcomes that need action are emphasised.
func outcomeCell(o result.Outcome) Cell {
	switch o {
	case result.Regression:
		return Cell{Text: "REGRESSION", Style: Strong}
	case result.Inconclusive:
		return Cell{Text: string(o), Style: Strong}
	case result.Improvement:
		return Cell{Text: "improved"}
	case result.Noted:
		return Cell{Text: "not judged"}
	}
	return Cell{Text: string(o)}
}

// compared returns how many comparisons a gate made, and how many of them are worse or better.
func compared(g *result.Gate) string {
	s := message.Count(len(g.Rows), "comparison")
	if n := g.Count(result.Regression); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d worse", n)
	}
	if n := g.Count(result.Improvement); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d better", n)
	}
	return s
}

// unjudged returns why gates were not judged, and the notes.
func unjudged(d *result.Document) []string {
	v := &d.Verdicts[0]
	var lines []string
	for i := range v.Gates {
		if g := &v.Gates[i]; g.Outcome == result.Noted {
			lines = append(lines, fmt.Sprintf("%s not judged: %s", g.Name, g.Reason))
		}
	}
	for _, note := range d.Notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// capped returns the first lines. If it leaves out lines, it adds their number.
func capped(lines []string) []string {
	if len(lines) <= mostFindings+1 {
		return lines
	}
	return append(slices.Clone(lines[:mostFindings]), fmt.Sprintf("... and %d more: the JSON lists them",
		len(lines)-mostFindings))
}

// writeJudgements writes a line for each comparison of each verdict, and one for each gate with a reason instead.
func writeJudgements(w io.Writer, d *result.Document) error {
	lines := [][]string{{"gate", "limiter", "where", "measure", "base", "head", "outcome", "statement", "script"}}
	text := func(v any) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	for i := range d.Verdicts {
		for c := range cases(&d.Verdicts[i]) {
			lines = append(lines, []string{c.gate, c.Limiter, c.Where, c.Measure, text(c.Base), text(c.Head),
				string(c.Outcome), c.Statement, c.Script})
		}
	}
	return WriteCSV(w, lines)
}

// judged is a comparison with the name of its gate.
type judged struct {
	gate string
	result.Judgement
}

// cases yields all comparisons of a verdict. A gate with a reason yields its reason, too.
func cases(v *result.Verdict) iter.Seq[judged] {
	return func(yield func(judged) bool) {
		for _, g := range v.Gates {
			for _, j := range g.Rows {
				if !yield(judged{g.Name, j}) {
					return
				}
			}
			why := result.Judgement{Measure: g.Name, Outcome: result.Inconclusive, Statement: g.Reason}
			if g.Outcome == result.Noted {
				why.Outcome = result.Noted
			}
			if g.Reason != "" && !yield(judged{g.Name, why}) {
				return
			}
		}
	}
}
