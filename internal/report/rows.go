package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// narrowest is the least width of the algorithm's column.
const narrowest = 16

// LimiterColumn is the first column of a table of rows.
var LimiterColumn = Column{Name: "limiter", Words: true, Narrowest: narrowest}

// Tables returns a run's tables for a place: a table of its rows, and one for each other subject with figures in the
// run. columns are the measures of the first table; nil means the usual ones.
func Tables(r *result.Run, place measure.Place, columns []*measure.Measure) []Table {
	tables := []Table{runTable(r, place, columns)}
	if r.Limits != nil && columns == nil {
		tables = severalTables(r, place)
	}
	for _, about := range measure.Subjects()[1:] {
		if (about == measure.CostMeasures || about == measure.EndMeasures) && place == measure.Table {
			continue // on a terminal they are columns of the first table
		}
		tables = append(tables, subjectTable(r, about, place))
		if about == measure.ClientMeasures && len(r.ClientGroups) > 1 {
			tables = append(tables, groupTables(r, place)...)
		}
	}
	return slices.DeleteFunc(tables, func(t Table) bool { return len(t.Rows) == 0 })
}

// runTable returns a table with a line for each row. On the page it also has the floor, the exact reference, and below
// each row those that decide alike.
func runTable(r *result.Run, place measure.Place, shown []*measure.Measure) Table {
	if place != measure.Page {
		if shown == nil {
			shown = slices.Concat(measure.DecisionMeasures.Shown(place, r.Figures()),
				measure.EndMeasures.Shown(place, r.Figures()), measure.CostMeasures.Shown(place, r.Figures()))
		}
		t := Table{Bare: true, Columns: columns(shown, place)}
		t.Rows = each(shownRows(r), func(group []*result.Row) TableRow {
			return rowOf(r, group[0].Algorithm, shown, &group[0].Figures, place)
		})
		return t
	}
	shown = measure.DecisionMeasures.Shown(place, r.Figures())
	i := max(0, slices.IndexFunc(shown, func(m *measure.Measure) bool { return m.Name == "peak" }))
	shown = slices.Concat(shown[i:], shown[:i]) // a phone shows only the first columns
	t := Table{Caption: "What each algorithm did with the same requests", Columns: columns(shown, place)}
	if len(r.ClientGroups) > 0 {
		t.Caption = "What each algorithm did with the requests that the clients made of its answers"
	}
	t.Columns = append(t.Columns, Column{Name: "burst",
		Help: "the capacity of the algorithm, if it has one"})
	for _, group := range r.Alike() {
		for i, row := range group {
			line := rowOf(r, row.Algorithm, shown, &row.Figures, place)
			if line.Alike = i > 0; line.Alike {
				line.Cells[0].Text = alikeMark + row.Algorithm
				for j, m := range shown {
					if !m.Own {
						line.Cells[1+j] = Cell{}
					}
				}
			}
			line.Cells = append(line.Cells, Cell{Text: burst(row)})
			t.Rows = append(t.Rows, line)
		}
	}
	if r.Reference != nil {
		line := rowOf(r, result.ReferenceLabel, shown, r.ReferenceFigures(), place)
		line.Cells = append(line.Cells, Cell{})
		line.Faint = true
		t.Rows = append(t.Rows, line)
	}
	return t
}

// shownRows returns the rows for a terminal, each with the rows that decide alike. It omits the floor, unless that is
// the only row. Among rows that decide alike, the one with the lowest guarantee comes first.
func shownRows(r *result.Run) [][]*result.Row {
	var all [][]*result.Row
	for _, group := range r.Alike() {
		group = slices.Clone(group)
		slices.SortStableFunc(group, func(a, b *result.Row) int {
			return cmp.Compare(guarantee(r, a), guarantee(r, b))
		})
		if !algorithms.IsFloor(group[0].Algorithm) {
			all = append(all, group)
		}
	}
	if len(all) == 0 {
		return r.Alike()
	}
	return all
}

// guarantee returns a row's guarantee: 0 for a rule that is the contract itself, and +Inf if it is unknown.
func guarantee(r *result.Run, row *result.Row) float64 {
	switch {
	case row.Guarantee == nil:
		return math.Inf(1)
	case algorithms.IsExact(row.Algorithm, r.Limit.Contract):
		return 0
	}
	return *row.Guarantee
}

// burst returns the capacity that a row was given.
func burst(row *result.Row) string {
	capacity := algorithms.InRole(algorithms.Capacity, row.Algorithm, row.Parameters)
	n, err := strconv.ParseInt(capacity, 10, 64)
	switch {
	case capacity == "":
		return Absent
	case err != nil:
		return capacity
	}
	return message.Grouped(n)
}

// subjectTable returns a table with a line for each row that has figures about the subject.
func subjectTable(r *result.Run, about *measure.Subject, place measure.Place) Table {
	measures := about.Shown(place, r.Figures())
	t := Table{Title: about.Caption, Bare: place != measure.Page, Columns: columns(measures, place)}
	if place == measure.Table && !isAbout(r, about) {
		return t
	}
	named := about == measure.FairnessMeasures
	if named {
		t.Columns = append(t.Columns, Column{Name: "worst-served key", Words: true})
	}
	groups := shownRows(r)
	if place == measure.Page {
		groups = nil
		for i := range r.Results {
			groups = append(groups, []*result.Row{&r.Results[i]})
		}
	}
	for _, group := range groups {
		row := group[0]
		known := func(m *measure.Measure) bool { return m.Value(&row.Figures).Known }
		if !slices.ContainsFunc(measures, known) {
			continue
		}
		line := rowOf(r, row.Algorithm, measures, &row.Figures, place)
		if named {
			line.Cells = append(line.Cells, worstKey(row.Fairness))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// isAbout reports whether a terminal shows a subject's table. It shows reacting clients if one of them retried, and
// fairness if an expectation is about it. Other subjects have figures only in their own scenarios.
func isAbout(r *result.Run, about *measure.Subject) bool {
	switch about {
	case measure.FairnessMeasures:
		return slices.ContainsFunc(r.Expectations, func(e result.Expectation) bool {
			_, of := measure.Find(e.Measure)
			return of == about
		})
	case measure.ClientMeasures:
		return slices.ContainsFunc(r.Results, func(row result.Row) bool {
			return row.Clients != nil && row.Clients.Attempts > row.Clients.Operations
		})
	}
	return true
}

// worstKey returns the key that was served worst. It returns Absent if all keys are served alike: the worst key would
// then just be the first by name.
func worstKey(f *measure.Fairness) Cell {
	if f.WorstServed == f.BestServed {
		return Cell{Text: Absent}
	}
	return Cell{Text: f.WorstKey}
}

// groupTables show the groups of clients: in one table on a terminal, in one table for each group on a page.
func groupTables(r *result.Run, place measure.Place) (tables []Table) {
	brief := Table{Bare: true, Title: "Who got through: operations that succeeded, of all, by group of clients",
		Columns: []Column{LimiterColumn}}
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

var groupColumns = []Column{LimiterColumn, {Name: "operations"}, {Name: "succeeded"},
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

// columns returns the limiter's column and those of measures in a table.
func columns(measures []*measure.Measure, place measure.Place) []Column {
	list := []Column{LimiterColumn}
	for _, m := range measures {
		c := Column{Name: m.Heading, Help: m.Help, Leaves: m.Leaves}
		if place == measure.Page {
			c.Name = cmp.Or(m.Title, strings.ReplaceAll(m.Heading, "\n", " "))
		}
		list = append(list, c)
	}
	return list
}

// rowOf returns the line of a row with that name. A rule that is the contract itself has the guarantee "exact".
func rowOf(r *result.Run, name string, measures []*measure.Measure, f *measure.Figures, place measure.Place) TableRow {
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
		if v.Known && m.Name == "guarantee" {
			c.Text = guaranteeText(r, name, v.Number)
		}
		cells = append(cells, c)
	}
	return TableRow{Cells: cells}
}

// guaranteeText returns "exact" for a rule that is the contract itself, and 1.00 for a guarantee that is one request
// below.
func guaranteeText(r *result.Run, name string, g float64) string {
	switch {
	case algorithms.IsExact(name, r.Limit.Contract):
		return "exact"
	case g < 1 && g > 0.995:
		return "1.00"
	}
	return Times(g)
}

// figure formats a number by its unit, for a place such as the page.
func figure(unit measure.Unit, digits int, v float64, place measure.Place) Cell {
	c := Cell{Key: strconv.FormatFloat(v, 'g', 9, 64)}
	page := place == measure.Page
	switch {
	case unit == measure.Limits:
		c.Text = Times(v)
	case unit == measure.Share:
		c.Text = Percent(v)
	case unit == measure.Microseconds && v == 0:
		c.Text = "0"
	case unit == measure.Microseconds && page:
		c.Text = Natural(v)
	case unit == measure.Microseconds:
		c.Text = ASCII(Natural(v))
	case page && digits == 0:
		return Cell{Text: message.Grouped(int64(math.Round(v)))}
	default:
		c.Text = strconv.FormatFloat(v, 'f', digits, 64)
	}
	return c
}
