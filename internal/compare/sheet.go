package compare

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"ratelab/internal/sheet"
)

// usualWidth is that of the table where no terminal says otherwise.
const usualWidth = 100

// mostLines is how many findings a short answer has.
const mostLines = 12

// WriteTable writes the comparison for people: the verdict, each gate in a line, what was found and what would help,
// then the timings that changed, or all of a few.
func WriteTable(w io.Writer, r *Report, t sheet.Terminal) error {
	head := sheet.Part{Lead: []sheet.Line{{Text: r.headline()}, {Text: r.described()}},
		Tables: []sheet.Table{r.gateTable()}}
	for _, line := range r.findings() {
		head.Notes = append(head.Notes, sheet.Line{Text: line})
	}
	timings := sheet.Part{Tables: []sheet.Table{r.timingTable()}}
	for _, note := range r.Notes {
		timings.Notes = append(timings.Notes, sheet.Line{Text: "note: " + note})
	}
	return sheet.Sheet{head, timings}.WriteTerminal(w, t.Or(usualWidth))
}

func (r *Report) gateTable() sheet.Table {
	t := sheet.Table{Columns: []sheet.Column{{Name: "gate", Words: true}, {Name: "outcome", Words: true},
		{Name: "compared", Words: true, Widest: 72, Narrowest: 24, Break: sheet.BreakWords}}}
	for i := range r.Gates {
		g := &r.Gates[i]
		t.Rows = append(t.Rows, sheet.TableRow{Cells: []sheet.Cell{{Text: g.Name}, outcomeCell(g.Outcome),
			{Text: g.summary()}}})
	}
	return t
}

// outcomeCell stands out on a page where somebody has to do something.
func outcomeCell(o Outcome) sheet.Cell {
	cell := sheet.Cell{Text: outcomeWord(o)}
	if o == Regression || o == Inconclusive {
		cell.Style = sheet.Strong
	}
	return cell
}

// findings are the verdict's sentences, the remedies, and why gates were left out.
func (r *Report) findings() []string {
	lines := slices.Clone(capped(r.Verdict.Findings, mostLines))
	for i := range r.Gates {
		g := &r.Gates[i]
		if g.Outcome != Noted || g.Name == GateClientP99 {
			continue
		}
		for _, reason := range g.Reasons {
			lines = append(lines, fmt.Sprintf("not judged %s: %s", g.Name, reason))
		}
	}
	for _, remedy := range r.Verdict.Remedies {
		lines = append(lines, "to do: "+remedy)
	}
	return lines
}

// timingTable is the timings worth showing.
func (r *Report) timingTable() sheet.Table {
	toControl := r.hasToControl()
	t := sheet.Table{Columns: []sheet.Column{{Name: "timing", Words: true},
		{Name: "algorithm", Words: true, Narrowest: 12}}}
	// The median of the pairs' ratios need not be the ratio of the medians beside it: so it says whose it is.
	t.Columns = append(t.Columns, sheet.Column{Name: "base\nus", Leaves: 4}, sheet.Column{Name: "head\nus", Leaves: 4},
		sheet.Column{Name: "pairs' ratio\n[interval]"})
	if toControl {
		t.Columns = append(t.Columns, sheet.Column{Name: "to\ncontrol", Leaves: 3})
	}
	t.Columns = append(t.Columns, sheet.Column{Name: "pairs", Leaves: 1},
		sheet.Column{Name: "noise\nfloor", Leaves: 2})
	t.Columns = append(t.Columns, sheet.Column{Name: "outcome", Words: true})
	for i := range r.Gates {
		g := &r.Gates[i]
		if !g.timed() {
			continue
		}
		for _, row := range g.worthShowing() {
			t.Rows = append(t.Rows, timingRow(g.Name, row.label(), &row, toControl))
			if confirm := row.Timing.Confirm; confirm != nil && confirm.Samples > 0 {
				again := Judgement{Outcome: row.Outcome, Timing: confirm}
				t.Rows = append(t.Rows, timingRow("", "  second run", &again, toControl))
			}
		}
	}
	return t
}

func timingRow(gate, label string, row *Judgement, toControl bool) sheet.TableRow {
	cells := []string{gate, label, row.Base.String(), row.Head.String(), row.Timing.ratioText()}
	if toControl {
		text := sheet.Absent
		if ratio := row.Timing.RatioToControl; ratio != nil {
			text = times(*ratio)
		}
		cells = append(cells, text)
	}
	outcome := outcomeWord(row.Outcome)
	if gate == "" {
		outcome = ""
	}
	cells = append(cells, strconv.Itoa(row.Timing.Samples), row.Timing.floorText(), outcome)
	return sheet.TableRow{Cells: sheet.Cells(cells...)}
}

// hasToControl reports whether a ratio to the control tells more than the ratio: where each side has a control.
func (r *Report) hasToControl() bool {
	return slices.ContainsFunc(r.Gates, func(g Gate) bool {
		return slices.ContainsFunc(g.Rows,
			func(row Judgement) bool { return row.Timing != nil && row.Timing.RatioToControl != nil })
	})
}

// WriteMarkdown writes the comparison for a pull request: the verdict in the first line, what changed, what could not
// be judged and what would help, and every comparison folded away.
func WriteMarkdown(w io.Writer, r *Report) error {
	changes := sheet.Part{Tables: []sheet.Table{r.changes()}}
	if more := len(changes.Tables[0].Rows) - mostChanges; more > 0 {
		changes.Tables[0].Rows = changes.Tables[0].Rows[:mostChanges]
		changes.Notes = sheet.Items(fmt.Sprintf("and %d more below", more))
	}
	return sheet.Sheet{
		{Lead: []sheet.Line{{Term: r.headline(), Text: r.described()}}, Tables: []sheet.Table{r.gateTable()}},
		changes,
		{Notes: sheet.Items(r.remarks()...)},
		r.details(),
	}.WriteMarkdown(w)
}

// mostChanges is how many changes are shown before those that are folded away.
const mostChanges = 30

// remarks are the lines below the tables: what could not be judged, what would help, and what a reader must know.
func (r *Report) remarks() []string {
	var lines []string
	for i := range r.Gates {
		g := &r.Gates[i]
		if (!g.has(Inconclusive) || r.dispensable(g)) && (g.Outcome != Noted || g.Name == GateClientP99) {
			continue
		}
		for _, reason := range g.Reasons {
			lines = append(lines, g.Name+" not judged: "+reason)
		}
	}
	for _, remedy := range r.Verdict.Remedies {
		lines = append(lines, "to do: "+remedy)
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	return lines
}

// changes is the table of what became worse or better.
func (r *Report) changes() sheet.Table {
	t := pageTable()
	for _, outcome := range []Outcome{Regression, Improvement} {
		for i := range r.Gates {
			g := &r.Gates[i]
			for j := range g.Rows {
				if g.Rows[j].Outcome == outcome {
					t.Rows = append(t.Rows, pageRow(g.Name, &g.Rows[j]))
				}
			}
		}
	}
	return t
}

// pageTable has the columns for rows of any gate.
func pageTable() sheet.Table {
	t := sheet.Table{Columns: []sheet.Column{{Name: "gate", Words: true}, {Name: "algorithm", Words: true},
		{Name: "measure", Words: true}}}
	t.Columns = append(t.Columns, sheet.Numbers("base", "head", "ratio [interval]", "pairs", "noise floor")...)
	t.Columns = append(t.Columns, sheet.Column{Name: "outcome", Words: true})
	return t
}

// pageRow is a row of any gate; counted figures have no ratio.
func pageRow(gate string, row *Judgement) sheet.TableRow {
	ratio, pairs, floor := "", "", ""
	if row.Timing != nil {
		ratio, pairs, floor = row.Timing.ratioText(), strconv.Itoa(row.Timing.Samples), row.Timing.floorText()
	}
	cells := sheet.Cells(gate, row.label(), row.Measure, short(row.Base), short(row.Head), ratio, pairs, floor)
	return sheet.TableRow{Cells: append(cells, outcomeCell(row.Outcome))}
}

// mostDetails is how many rows are unfolded at most: GitHub refuses a comment of more than 65,536 characters.
const mostDetails = 200

// details is every timing and every count that differs, folded away.
func (r *Report) details() sheet.Part {
	var parts sheet.Sheet
	left := mostDetails
	for i := range r.Gates {
		g := &r.Gates[i]
		part := sheet.Part{Lead: []sheet.Line{{Text: g.Name + ": " + g.Rule}}}
		rows := g.details()
		if len(rows) > 0 && left > 0 {
			t := pageTable()
			t.Rows = rows[:min(left, len(rows))]
			part.Tables = []sheet.Table{t}
		}
		if more := len(rows) - left; more > 0 {
			part.Notes = append(part.Notes, sheet.Line{Text: fmt.Sprintf("and %d more: the JSON has them", more)})
		}
		if same := g.count(Same); !g.timed() && same > 0 {
			part.Notes = append(part.Notes, sheet.Line{Text: fmt.Sprintf("%d the same", same)})
		}
		left = max(0, left-len(rows))
		parts = append(parts, part)
	}
	return sheet.Part{Title: "every comparison", Folded: parts}
}

// details are a gate's rows, a second run below its first, without what was counted and is the same.
func (g *Gate) details() []sheet.TableRow {
	var rows []sheet.TableRow
	for i := range g.Rows {
		row := g.Rows[i]
		if !g.timed() && row.Outcome == Same {
			continue
		}
		rows = append(rows, pageRow(g.Name, &row))
		if row.Timing != nil && row.Timing.Confirm != nil && row.Timing.Confirm.Samples > 0 {
			row.Algorithm, row.Timing = "second run of "+row.Algorithm, row.Timing.Confirm
			row.Base, row.Head = Value{}, Value{}
			rows = append(rows, pageRow(g.Name, &row))
		}
	}
	return rows
}
