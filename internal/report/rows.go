package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// narrowest is the width below which the algorithm's column is never pressed.
const narrowest = 16

// AlgorithmColumn is the first column of a table of rows.
var AlgorithmColumn = Column{Name: "algorithm", Words: true, Narrowest: narrowest}

// Tables are what a place shows of a run: its rows with the exact reference below them, and a table of each other
// subject of which there is something to say.
func Tables(r *result.Run, place measure.Place) []Table {
	tables := []Table{runTable(r, place)}
	for _, about := range measure.Subjects()[1:] {
		if about == measure.CostMeasures && place == measure.Table {
			continue // they are columns of the first table
		}
		tables = append(tables, subjectTable(r, about, place))
		if about == measure.ClientMeasures && len(r.ClientGroups) > 1 {
			tables = append(tables, groupTables(r, place)...)
		}
	}
	return slices.DeleteFunc(tables, func(t Table) bool { return len(t.Rows) == 0 })
}

// runTable is a line for each algorithm, and the reference below them where there is one. Of rows that decide alike the
// first has the figures, and those below it only what is their own.
func runTable(r *result.Run, place measure.Place) Table {
	shown := measure.DecisionMeasures.Shown(place, r.Figures())
	if place == measure.Page { // a phone shows the first columns only: they are to say how the contract was kept
		i := max(0, slices.IndexFunc(shown, func(m *measure.Measure) bool { return m.Name == "peak" }))
		shown = slices.Concat(shown[i:], shown[:i])
	}
	decisions := len(shown)
	if place == measure.Table {
		shown = append(shown, measure.CostMeasures.Shown(place, r.Figures())...)
	}
	t := Table{Columns: columns(r, shown, place)}
	if place == measure.Page {
		t.Caption = "What each algorithm did with the same requests"
		if len(r.ClientGroups) > 0 {
			t.Caption = "What each algorithm did with the requests that the clients made of its answers"
		}
		t.Columns = append(t.Columns, Column{Name: "burst",
			Help: "the capacity that the algorithm was given, where it takes one"})
	}
	for _, group := range r.Alike() {
		for i, row := range group {
			line := rowOf(row.Algorithm, shown, &row.Figures, place)
			if line.Alike = i > 0; line.Alike {
				line.Cells[0].Text = alikeMark + row.Algorithm
				for j, m := range shown {
					if !m.Own {
						line.Cells[1+j] = Cell{}
					}
				}
			}
			if place == measure.Page {
				line.Cells = append(line.Cells, Cell{Text: burst(row)})
			}
			t.Rows = append(t.Rows, line)
		}
	}
	if r.Reference != nil {
		line := rowOf(result.ReferenceLabel, shown[:decisions], &measure.Figures{Result: *r.Reference}, place)
		line.Cells = append(line.Cells, make([]Cell, len(t.Columns)-len(line.Cells))...)
		line.Faint = true
		t.Rows = append(t.Rows, line)
	}
	return t
}

// burst is the capacity that a row was given.
func burst(row *result.Row) string {
	capacity, _ := algorithms.InRole(algorithms.Capacity, row.Algorithm, row.Parameters)
	n, err := strconv.ParseInt(capacity, 10, 64)
	switch {
	case capacity == "":
		return Absent
	case err != nil:
		return capacity
	}
	return message.Grouped(n)
}

// subjectTable has a line for each row that has something to say about the subject.
func subjectTable(r *result.Run, about *measure.Subject, place measure.Place) Table {
	measures := about.Shown(place, r.Figures())
	t := Table{Title: about.Caption, Columns: columns(r, measures, place)}
	named := about == measure.FairnessMeasures
	if named {
		t.Columns = append(t.Columns, Column{Name: "worst-served key", Words: true})
	}
	for i := range r.Results {
		row := &r.Results[i]
		known := func(m *measure.Measure) bool { return m.Value(&row.Figures).Known }
		if !slices.ContainsFunc(measures, known) || place == measure.Table && !worthALine(r, row, about) {
			continue
		}
		line := rowOf(row.Algorithm, measures, &row.Figures, place)
		if named {
			line.Cells = append(line.Cells, worstKey(row.Fairness))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// worthALine reports whether a row's figures about a subject are worth a line where there is little room. Among
// thousands of keys Jain's index does not notice one that starves.
func worthALine(r *result.Run, row *result.Row, about *measure.Subject) bool {
	const evenly, wellEvery, manyKeys = 0.9995, 0.9, 1000
	switch about {
	case measure.FairnessMeasures:
		f := row.Fairness
		return !result.IsFloor(row.Algorithm) && (f.JainIndex < evenly || f.WorstServed < wellEvery)
	case measure.RateMeasures:
		return r.Keys >= manyKeys
	case measure.ClientMeasures: // where nobody ever tried again the counts above say it all
		return slices.ContainsFunc(r.Results, func(row result.Row) bool {
			return row.Clients != nil && row.Clients.Attempts > row.Clients.Operations
		})
	}
	return true
}

// worstKey names the key that was served worst, where that says anything: of keys that are all served alike it would be
// the first of the alphabet.
func worstKey(f *measure.Fairness) Cell {
	if f.WorstServed == f.BestServed {
		return Cell{Text: Absent}
	}
	return Cell{Text: f.WorstKey}
}

// groupTables tell groups of clients apart: on a terminal in one table, on a page in one for each.
func groupTables(r *result.Run, place measure.Place) (tables []Table) {
	brief := Table{Title: "Who got through: operations that succeeded, of all, by group of clients",
		Columns: []Column{AlgorithmColumn}}
	for i, name := range r.ClientGroups {
		brief.Columns = append(brief.Columns, Column{Name: message.Visible(name), Leaves: i + 1})
		tables = append(tables, Table{Title: "The clients named " + name, Columns: groupColumns})
	}
	for i := range r.Results {
		row := &r.Results[i]
		if row.Clients == nil || len(row.Clients.Groups) != len(tables) {
			continue
		}
		line := Cells(row.Algorithm)
		for n := range row.Clients.Groups {
			g := &row.Clients.Groups[n]
			line = append(line, Cell{Text: fmt.Sprintf("%d/%d", g.Succeeded, g.Operations)})
			tables[n].Rows = append(tables[n].Rows, groupRow(row.Algorithm, g))
		}
		brief.Rows = append(brief.Rows, TableRow{Cells: line})
	}
	if place == measure.Table {
		return []Table{brief}
	}
	return tables
}

var groupColumns = []Column{AlgorithmColumn, {Name: "operations"}, {Name: "succeeded"},
	{Name: "of its operations", Help: "share that succeeded"}, {Name: "gave up"}, {Name: "attempts"},
	{Name: "p50", Help: "of the time to success"}, {Name: "p99", Help: "of the time to success"}}

func groupRow(algorithm string, g *measure.ClientGroup) TableRow {
	of := func(unit measure.Unit, v float64) Cell { return figure(unit, 0, v, measure.Page) }
	cells := []Cell{{Text: algorithm}, of(measure.Operations, float64(g.Operations)),
		of(measure.Operations, float64(g.Succeeded)), of(measure.Share, Share(g.Succeeded, g.Operations)),
		of(measure.Operations, float64(g.GaveUp)), of(measure.Operations, float64(g.Attempts)),
		{Text: Absent}, {Text: Absent}}
	if p := g.TimeToSuccessUS; p != nil {
		cells[6], cells[7] = of(measure.Microseconds, float64(p.P50)), of(measure.Microseconds, float64(p.P99))
	}
	return TableRow{Cells: cells}
}

// columns are the algorithm's and those of measures in a table of r.
func columns(r *result.Run, measures []*measure.Measure, place measure.Place) []Column {
	list := []Column{AlgorithmColumn}
	for _, m := range measures {
		c := Column{Name: m.ColumnHeading(Span(r.Limit.WindowUS)), Help: m.Help, Leaves: m.Leaves}
		if place == measure.Page {
			c.Name = m.PageHeading(Natural(float64(r.Limit.WindowUS)))
		}
		list = append(list, c)
	}
	return list
}

// rowOf is a name and measures of its figures.
func rowOf(name string, measures []*measure.Measure, f *measure.Figures, place measure.Place) TableRow {
	cells := Cells(name)
	for _, m := range measures {
		v := m.Value(f)
		c := Cell{Text: Absent}
		if v.Known {
			c = figure(m.Unit, m.Digits, v.Number, place)
		}
		if v.Known && m.Above > 0 && v.Number > m.Above {
			c.Style = Alarm
		}
		cells = append(cells, c)
	}
	return TableRow{Cells: cells}
}

// figure is a number as its unit is read in a place.
func figure(unit measure.Unit, digits int, v float64, place measure.Place) Cell {
	c := Cell{Key: strconv.FormatFloat(v, 'g', 9, 64)}
	page := place == measure.Page
	switch {
	case unit == measure.Limits:
		c.Text = Times(v)
	case unit == measure.Share:
		c.Text = Percent(v)
	case unit == measure.Microseconds && !page:
		c.Text = Briefly(int64(v))
	case unit == measure.Microseconds && v == 0:
		c.Text = "0"
	case unit == measure.Microseconds:
		c.Text = Natural(v)
	case page && digits == 0:
		return Cell{Text: message.Grouped(int64(math.Round(v)))}
	default:
		c.Text = strconv.FormatFloat(v, 'f', digits, 64)
	}
	return c
}
