package counting

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Forms are the output formats of a comparison.
var Forms = report.Formats{Sheet: sheet, Width: 100}

// mostFindings is the most findings in the output. GitHub refuses comments of more than 65,536 characters.
const mostFindings = 20

// sheet returns the verdict, a table with a line per gate, the findings and the notes.
func sheet(d *result.Document) report.Sheet {
	v := &d.Verdicts[0]
	described := fmt.Sprintf("%s against %s, on %s", v.Head, v.Base, v.Server)
	return report.Sheet{{
		Lead:   []report.Line{{Term: headline(v), Text: described}},
		Tables: []report.Table{gateTable(v)},
		Notes:  report.Items(slices.Concat(capped(v.Findings), remarks(d))...),
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

func gateTable(v *result.Verdict) report.Table {
	t := report.Table{Columns: []report.Column{{Name: "gate", Words: true}, {Name: "outcome", Words: true},
		{Name: "compared", Words: true, Widest: 72, Narrowest: 24, Break: report.BreakWords}}}
	for i := range v.Gates {
		g := &v.Gates[i]
		t.Rows = append(t.Rows, report.TableRow{Cells: []report.Cell{{Text: g.Name}, outcomeCell(g.Outcome),
			{Text: summary(g)}}})
	}
	return t
}

// outcomeCell returns the cell for an outcome. Outcomes that need action are emphasised.
func outcomeCell(o result.Outcome) report.Cell {
	switch o {
	case result.Regression:
		return report.Cell{Text: "REGRESSION", Style: report.Strong}
	case result.Inconclusive:
		return report.Cell{Text: string(o), Style: report.Strong}
	case result.Improvement:
		return report.Cell{Text: "improved"}
	case result.Noted:
		return report.Cell{Text: "not judged"}
	}
	return report.Cell{Text: string(o)}
}

// summary returns how many comparisons a gate made, and how many of them are worse or better.
func summary(g *result.Gate) string {
	s := message.Count(len(g.Rows), "comparison")
	if n := g.Count(result.Regression); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d worse", n)
	}
	if n := g.Count(result.Improvement); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d better", n)
	}
	return s
}

// remarks returns why gates were not judged, and the notes.
func remarks(d *result.Document) []string {
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
