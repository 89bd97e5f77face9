package counting

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Forms are those in which a comparison can be written.
var Forms = report.Formats[*result.Document]{
	{Name: "table", Write: writeTable},
	report.Everywhere("json", result.Write[*result.Document]),
	report.Everywhere("markdown", writeMarkdown),
}

// usualWidth is that of the table where no terminal says otherwise.
const usualWidth = 100

// mostLines is how many findings a short answer has, and mostChanges how many rows a page: GitHub refuses a comment of
// more than 65,536 characters.
const (
	mostLines   = 12
	mostChanges = 200
)

// writeTable writes the comparison for people: the verdict, each gate in a line, what was found, and the notes.
func writeTable(w io.Writer, d *result.Document, t report.Terminal) error {
	v := &d.Verdicts[0]
	part := report.Part{Lead: []report.Line{{Text: headline(v)}, {Text: described(v)}},
		Tables: []report.Table{gateTable(v)}}
	for _, line := range slices.Concat(capped(v.Findings), remarks(d)) {
		part.Notes = append(part.Notes, report.Line{Text: line})
	}
	return report.Sheet{part}.WriteTerminal(w, t.Or(usualWidth))
}

// writeMarkdown writes the comparison for a pull request: the verdict in the first line, what changed, and the notes.
func writeMarkdown(w io.Writer, d *result.Document) error {
	v := &d.Verdicts[0]
	return report.Sheet{
		{Lead: []report.Line{{Term: headline(v), Text: described(v)}}, Tables: []report.Table{gateTable(v)}},
		changes(v),
		{Notes: report.Items(remarks(d)...)},
	}.WriteMarkdown(w)
}

// headline is the verdict in one line.
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

// described names what was compared in one line.
func described(v *result.Verdict) string {
	return fmt.Sprintf("%s against %s, on %s", v.Head, v.Base, v.Server)
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

// outcomeCell stands out on a page where somebody has to do something.
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

// summary is how much a gate compared, and how much of it changed.
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

// remarks are why gates were not judged, and the notes.
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

// capped keeps the first of many lines, and says how many there are.
func capped(lines []string) []string {
	if len(lines) <= mostLines+1 {
		return lines
	}
	return append(slices.Clone(lines[:mostLines]), fmt.Sprintf("... and %d more: the JSON lists them",
		len(lines)-mostLines))
}

// changes is the table of what became worse or better.
func changes(v *result.Verdict) report.Part {
	t := report.Table{Columns: []report.Column{{Name: "gate", Words: true}, {Name: "limiter", Words: true},
		{Name: "measure", Words: true}}}
	t.Columns = append(t.Columns, report.Numbers("base", "head")...)
	t.Columns = append(t.Columns, report.Column{Name: "outcome", Words: true})
	for _, outcome := range []result.Outcome{result.Regression, result.Improvement} {
		for i := range v.Gates {
			for _, j := range v.Gates[i].Rows {
				if j.Outcome == outcome {
					cells := report.Cells(v.Gates[i].Name, j.Label(), j.Measure, shown(j.Base), shown(j.Head))
					t.Rows = append(t.Rows, report.TableRow{Cells: append(cells, outcomeCell(outcome))})
				}
			}
		}
	}
	part := report.Part{}
	if more := len(t.Rows) - mostChanges; more > 0 {
		t.Rows = t.Rows[:mostChanges]
		part.Notes = report.Items(fmt.Sprintf("and %d more: the JSON has them", more))
	}
	part.Tables = []report.Table{t}
	return part
}
