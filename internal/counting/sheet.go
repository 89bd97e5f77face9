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
var Forms = report.Formats[*Report]{
	{Name: "table", Write: WriteTable}, report.Everywhere("json", WriteJSON), report.Everywhere("markdown",
		WriteMarkdown),
}

// usualWidth is that of the table where no terminal says otherwise.
const usualWidth = 100

// mostLines is how many findings a short answer has, and mostChanges how many rows a page: GitHub refuses a comment of
// more than 65,536 characters.
const (
	mostLines   = 12
	mostChanges = 200
)

// WriteJSON writes the comparison as one indented JSON document and a newline.
func WriteJSON(w io.Writer, r *Report) error { return result.Write(w, r) }

// WriteTable writes the comparison for people: the verdict, each gate in a line, what was found, and the notes.
func WriteTable(w io.Writer, r *Report, t report.Terminal) error {
	part := report.Part{Lead: []report.Line{{Text: r.headline()}, {Text: r.described()}},
		Tables: []report.Table{r.gateTable()}}
	for _, line := range slices.Concat(capped(r.Verdict.Findings), r.remarks()) {
		part.Notes = append(part.Notes, report.Line{Text: line})
	}
	return report.Sheet{part}.WriteTerminal(w, t.Or(usualWidth))
}

// WriteMarkdown writes the comparison for a pull request: the verdict in the first line, what changed, and the notes.
func WriteMarkdown(w io.Writer, r *Report) error {
	return report.Sheet{
		{Lead: []report.Line{{Term: r.headline(), Text: r.described()}}, Tables: []report.Table{r.gateTable()}},
		r.changes(),
		{Notes: report.Items(r.remarks()...)},
	}.WriteMarkdown(w)
}

// headline is the verdict in one line.
func (r *Report) headline() string {
	var names []string
	improved := 0
	for i := range r.Gates {
		if r.Gates[i].Outcome == r.Verdict.Outcome {
			names = append(names, r.Gates[i].Name)
		}
		improved += r.Gates[i].count(Improvement)
	}
	switch {
	case r.Verdict.Outcome == Regression:
		return "REGRESSION in " + strings.Join(names, ", ")
	case r.Verdict.Outcome == Inconclusive:
		return "INCONCLUSIVE: " + strings.Join(names, ", ") + " cannot be judged"
	case improved > 0:
		return "no regression, " + message.Count(improved, "improvement")
	}
	return "no regression"
}

// described names what was compared in one line.
func (r *Report) described() string {
	return fmt.Sprintf("%s against %s, on %s", r.Head, r.Base, r.Server)
}

func (r *Report) gateTable() report.Table {
	t := report.Table{Columns: []report.Column{{Name: "gate", Words: true}, {Name: "outcome", Words: true},
		{Name: "compared", Words: true, Widest: 72, Narrowest: 24, Break: report.BreakWords}}}
	for i := range r.Gates {
		g := &r.Gates[i]
		t.Rows = append(t.Rows, report.TableRow{Cells: []report.Cell{{Text: g.Name}, outcomeCell(g.Outcome),
			{Text: g.summary()}}})
	}
	return t
}

// outcomeCell stands out on a page where somebody has to do something.
func outcomeCell(o Outcome) report.Cell {
	switch o {
	case Regression:
		return report.Cell{Text: "REGRESSION", Style: report.Strong}
	case Inconclusive:
		return report.Cell{Text: string(o), Style: report.Strong}
	case Improvement:
		return report.Cell{Text: "improved"}
	case Noted:
		return report.Cell{Text: "not judged"}
	}
	return report.Cell{Text: string(o)}
}

// summary is how much a gate compared, and how much of it changed.
func (g *Gate) summary() string {
	s := message.Count(len(g.Rows), "comparison")
	if n := g.count(Regression); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d worse", n)
	}
	if n := g.count(Improvement); n > 0 && n < len(g.Rows) {
		s += fmt.Sprintf(", %d better", n)
	}
	return s
}

// remarks are why gates were not judged, and the notes.
func (r *Report) remarks() []string {
	var lines []string
	for i := range r.Gates {
		if g := &r.Gates[i]; g.Outcome == Noted {
			lines = append(lines, fmt.Sprintf("%s not judged: %s", g.Name, g.Reason))
		}
	}
	for _, note := range r.Notes {
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
func (r *Report) changes() report.Part {
	t := report.Table{Columns: []report.Column{{Name: "gate", Words: true}, {Name: "limiter", Words: true},
		{Name: "measure", Words: true}}}
	t.Columns = append(t.Columns, report.Numbers("base", "head")...)
	t.Columns = append(t.Columns, report.Column{Name: "outcome", Words: true})
	for _, outcome := range []Outcome{Regression, Improvement} {
		for i := range r.Gates {
			for _, j := range r.Gates[i].Rows {
				if j.Outcome == outcome {
					cells := report.Cells(r.Gates[i].Name, j.label(), j.Measure, short(j.Base), short(j.Head))
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
