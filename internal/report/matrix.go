package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// WriteMatrix writes doc at one glance: a line for each scenario, a column for each algorithm, and in each cell one
// figure. Where the terminal is too narrow for that, it is a line for each algorithm, with the scenario that does most
// to it. Scenarios in which clients react are named only: their rows do not meet the same requests.
func WriteMatrix(w io.Writer, doc *result.Document, t Terminal) error {
	same, reacting := sameRequests(doc)
	part := Part{Title: "Which limiter keeps its limit?"}
	if matrix, key := lettered(Matrix(same)); t.Fits(&matrix) {
		part.Lead, part.Tables = []Line{{Text: key}}, []Table{matrix}
	} else {
		part.Tables = []Table{Worst(same)}
	}
	part.Notes = append(part.Notes, Line{Text: GlanceKey + delaying(same)})
	if len(reacting) > 0 {
		part.Notes = append(part.Notes, Line{Text: fmt.Sprintf("%s more, whose clients react: %s",
			message.Count(len(reacting), "scenario"), message.List(reacting))})
	}
	if answer := Answer(doc); answer != "" {
		part.Notes = append(part.Notes, Line{Text: answer})
	}
	return Sheet{part}.WriteTerminal(w, t)
}

// delaying says of shapers, of which the matrix shows no delay, what their cells are about.
func delaying(d *result.Document) string {
	var names []string
	for _, name := range d.Everywhere() {
		shapes := func(r result.Run) bool { row := r.Find(name); return row != nil && row.Shaping != nil }
		if slices.ContainsFunc(d.Runs, shapes) {
			names = append(names, message.Visible(name))
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("; %s %s requests, which count when they leave", message.Enumerate(names),
		message.Verb(len(names), "delays", "delay"))
}

// sameRequests is the document without the scenarios in which clients react, and their names.
func sameRequests(d *result.Document) (same *result.Document, reacting []string) {
	same = &result.Document{}
	for i := range d.Runs {
		if len(d.Runs[i].ClientGroups) > 0 {
			reacting = append(reacting, d.Runs[i].Scenario)
		} else {
			same.Runs = append(same.Runs, d.Runs[i])
		}
	}
	return same, reacting
}

// Matrix has a line for each scenario and a column for each row that all of them have, in each cell one figure.
func Matrix(d *result.Document) Table {
	names := d.Everywhere()
	t := Table{Matrix: true, Columns: []Column{{Name: "scenario", Words: true, Narrowest: narrowest}}}
	t.Columns = append(t.Columns, Numbers(names...)...)
	for i := range d.Runs {
		cells := Cells(d.Runs[i].Scenario)
		for _, name := range names {
			c := Cell{Text: Absent}
			if row := d.Runs[i].Find(name); row != nil {
				c = look(&d.Runs[i], row).cell()
			}
			cells = append(cells, c)
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	return t
}

// GlanceKey says what the cells mean.
var GlanceKey = "1.98: so many times what the limit allows got through; -36%: so much less than an exact limiter " +
	"admits; the worse of both; ok: nothing too much, at most " + Percent(Tolerated) + " less"

// lettered is a matrix for a terminal, where the rows' names are wider than any figure: columns have letters, which the
// key explains. Those with the same cells are one. The floor has none: it shows the traffic and no limiter.
func lettered(m Table) (t Table, key string) {
	var names []string
	var columns [][]Cell
	for i, column := range m.Columns {
		var cells []Cell
		for _, r := range m.Rows {
			cells = append(cells, r.Cells[i])
		}
		same := slices.IndexFunc(columns, func(other []Cell) bool { return slices.Equal(other, cells) })
		switch {
		case result.IsFloor(column.Name):
		case same > 0:
			names[same] += "=" + column.Name
		default:
			names, columns = append(names, column.Name), append(columns, cells)
		}
	}
	t = Table{Tight: true, Columns: m.Columns[:1:1]}
	for i := range names[1:] {
		letter := string(rune('a' + i%26))
		t.Columns = append(t.Columns, Column{Name: letter})
		names[1+i] = letter + "=" + names[1+i]
	}
	for n := range m.Rows {
		var cells []Cell
		for _, column := range columns {
			cells = append(cells, column[n])
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	return t, message.List(names[1:])
}

// Worst has a line for each row but the floor: the worst that any scenario does to it, which one that is, and in how
// many it is ok. Scenarios in which clients react do not count.
func Worst(d *result.Document) Table {
	d, _ = sameRequests(d)
	t := Table{Columns: []Column{AlgorithmColumn, {Name: "worst"}, {Name: "in", Words: true, Narrowest: narrowest},
		{Name: fmt.Sprintf("ok of %d", len(d.Runs))}}}
	for _, name := range d.Everywhere() {
		if result.IsFloor(name) {
			continue
		}
		var worst glimpse
		where, fine := "", 0
		for i := range d.Runs {
			g := look(&d.Runs[i], d.Runs[i].Find(name))
			if g.worse(worst) {
				worst, where = g, d.Runs[i].Scenario
			}
			if g.level == 0 {
				fine++
			}
		}
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{{Text: name}, worst.cell(), {Text: where},
			{Text: fmt.Sprint(fine)}}})
	}
	return t
}

// WriteConfirmation says what doc confirms that the models decided first: by which server, how many requests, and what
// that took. Rows that no model has, those of users' scripts, get a matrix of their own.
func WriteConfirmation(w io.Writer, doc, models *result.Document, t Terminal) error {
	own := without(doc, models)
	if len(own.Everywhere()) > 0 {
		if err := WriteMatrix(w, own, t); err != nil {
			return err
		}
	}
	part := Part{}
	if cost := commands(doc); cost != "" {
		part.Notes = append(part.Notes, Line{Text: cost})
	}
	part.Notes = append(part.Notes, Line{Text: confirmation(doc, models)})
	return Sheet{part}.WriteTerminal(w, t)
}

// without is d without the rows that other has.
func without(d, other *result.Document) *result.Document {
	left := &result.Document{}
	for i := range d.Runs {
		r := d.Runs[i]
		r.Results = nil
		for _, row := range d.Runs[i].Results {
			if i >= len(other.Runs) || other.Runs[i].Find(row.Algorithm) == nil {
				r.Results = append(r.Results, row)
			}
		}
		left.Runs = append(left.Runs, r)
	}
	return left
}

// confirmation is the sentence.
func confirmation(d, models *result.Document) string {
	var decisions, met, checked int64
	for i := range d.Runs {
		for j := range d.Runs[i].Results {
			if row := &d.Runs[i].Results[j]; models.Runs[i].Find(row.Algorithm) != nil {
				decisions += row.Offered
			}
		}
		for _, e := range d.Runs[i].Expectations {
			if e.Met != nil {
				checked++
				if *e.Met {
					met++
				}
			}
		}
	}
	server := &d.Runs[0].Server
	if server.Kind == modelKind {
		return fmt.Sprintf("decided by the Go models, %d decisions; no script has confirmed them", decisions)
	}
	text := fmt.Sprintf("confirmed: the Lua on %s gave the models' answer to each of %d calls", server, decisions)
	if len(d.Runs) < len(models.Runs) {
		text = fmt.Sprintf("interrupted: in %d of %d scenarios, the last perhaps not to its end, the Lua on %s "+
			"gave the models' answers", len(d.Runs), len(models.Runs), server)
	}
	if checked > 0 {
		text += fmt.Sprintf("; %d of %s met", met, message.Count(checked, "expectation"))
	}
	return text
}

// modelKind is the kind of server that is none.
const modelKind = "model"

// commands says what a decision takes of each row, the least first, on average over all scenarios.
func commands(d *result.Document) string {
	type cost struct {
		name  string
		calls float64
	}
	var all []cost
	for _, name := range d.Everywhere() {
		var calls, decisions float64
		for i := range d.Runs {
			if row := d.Runs[i].Find(name); row != nil && row.Commands != nil {
				calls += *row.Commands * float64(row.Offered)
				decisions += float64(row.Offered)
			}
		}
		if decisions > 0 && !result.IsFloor(name) {
			all = append(all, cost{name, calls / decisions})
		}
	}
	if all == nil {
		return ""
	}
	slices.SortStableFunc(all, func(a, b cost) int { return cmp.Compare(a.calls, b.calls) })
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = fmt.Sprintf("%s %.2f", c.name, c.calls)
	}
	return "Redis commands a decision: " + message.List(texts)
}
