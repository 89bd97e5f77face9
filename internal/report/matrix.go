package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// WriteMatrix writes the document as matrices, without limiters that decide nearly as another column does. If a
// terminal is too narrow for a matrix, it writes the worst cell of each limiter instead.
func WriteMatrix(w io.Writer, d *result.Document, t Terminal) error {
	t.Text = textWidth
	return Sheet(matrices(d, nil, withoutTwins)).WriteTerminal(w, t)
}

// Matrices returns the document as up to four parts with a table each. Two parts compare the limiters, one for each
// contract. In these, all rows meet the same requests, and nothing fails. The third part compares situations. The
// fourth one has a line for each run whose requests end. link returns the first cell of a run's row from the run's
// index; nil means the scenario's name.
func Matrices(d *result.Document, link func(run int) Cell) []Part {
	return matrices(d, link, func(all []column) []column { return all })
}

// The parts of Matrices. The first two are the contracts.
const (
	windows = int(limit.ByWindow)
	buckets = int(limit.ByBucket)
	others  = 2
	ending  = 3
)

// key explains the cells. allowed names the quantity to which the admitted cost is compared.
func key(allowed string) string {
	return "1.98: admits 1.98 x " + allowed + ". -7%: loses 7% of what the exact limiter admits. The worse of both. " +
		"ok: within the limit, and at most 1% lost."
}

// split returns the runs of each part, and their indices in d. In each part, runs with guarantees of their own come
// last.
func split(d *result.Document) (parts [4]result.Document, at [4][]int) {
	for _, own := range []bool{false, true} {
		for i, r := range d.Runs {
			kind := int(r.Limit.Contract)
			switch {
			case r.RequestsEnd():
				kind = ending
			case r.Situation() != "":
				kind = others
			}
			if own == (kind < others && ownGuarantees(r)) {
				parts[kind].Runs, at[kind] = append(parts[kind].Runs, r), append(at[kind], i)
			}
		}
	}
	return parts, at
}

// matrices does what Matrices does, for the columns that choose keeps.
func matrices(d *result.Document, link func(run int) Cell, choose func([]column) []column) (all []Part) {
	parts, at := split(d)
	for kind, runs := range parts {
		names := each(at[kind], func(run int) Cell {
			if link == nil {
				return Cell{Text: d.Runs[run].Scenario}
			}
			return link(run)
		})
		if len(runs.Runs) == 0 {
			continue
		}
		if kind == ending {
			all = append(all, Part{Level: 2, Title: "With requests that end", Tables: []Table{endings(&runs, names)}})
			continue
		}
		p, columns := Part{Level: 2}, choose(columnsOf(&runs))
		var notes []string
		if kind == windows || len(parts[windows].Runs) == 0 {
			notes = secondWords(columns, &runs)
		}
		switch kind {
		case windows:
			p.Title, p.Lead = "Never more than the limit in any window?", Items(key("the limit in some window"))
			notes = append(notes, "A guarantee of 1 keeps the limit on any traffic whose requests cost 1; waits: by "+
				"holding requests back.")
			if slices.ContainsFunc(runs.Runs, ownGuarantees) {
				notes = append(notes, "may admit: the guarantees for the costs of the scenario below.")
			}
		case buckets:
			p.Title, p.Lead = "On average, and a burst at once?", Items(key("what the bucket allows in some interval"))
			notes = append(notes, "may admit: the guarantees for the burst and the costs of the scenario below. A 1 "+
				"keeps the limit on any such traffic.")
		case others:
			p.Title, notes = "With clients, faults or clocks", append(notes, situations(&runs)...)
			n := len(runs.Runs)
			p.Lead = Items(fmt.Sprintf("%s %s situations, not limiters: no guarantee covers them. %s",
				message.Count(n, "scenario"), message.Verb(n, "compares", "compare"),
				key("what the scenario's contract allows")))
			if slices.ContainsFunc(runs.Runs, func(r result.Run) bool {
				return slices.ContainsFunc(columns, func(c column) bool { return c.of(&r) == nil })
			}) {
				notes = append(notes, "-: no row. The limiter lacks a parameter that the fault needs, or its script "+
					"has no retry_after for clients that obey it.")
			}
		}
		p.Tables, p.Notes = []Table{worst(&runs, columns), matrixOf(&runs, columns, kind, names)}, Items(notes...)
		all = append(all, p)
	}
	return all
}

// endings returns a table with a line for each run whose requests end. Their limiters are not those of other scenarios.
func endings(d *result.Document, names []Cell) Table {
	t := Table{Columns: []Column{{Name: "scenario", Words: true, Narrowest: narrowest}, {Name: "limiters"},
		{Name: "keep the limit"}, {Name: "least lost by these"}, {Name: "most x limit"}}}
	for i := range d.Runs {
		keep, lost, most := 0, 1.0, 0.0
		for _, row := range d.Runs[i].Results {
			if most = max(most, row.XLimit); row.XLimit <= 1 {
				keep++
				lost = min(lost, row.Lost)
			}
		}
		least := Absent
		if keep > 0 {
			least = Percent(lost)
		}
		t.Rows = append(t.Rows, TableRow{Cells: append([]Cell{names[i]}, Cells(fmt.Sprint(len(d.Runs[i].Results)),
			fmt.Sprint(keep), least, fmt.Sprintf("%.2f", most))...)})
	}
	return t
}

// ownGuarantees reports whether the guarantees hold only for this run, because of its burst or of costs above 1.
func ownGuarantees(r result.Run) bool { return r.Limit.Contract == limit.ByBucket || r.HasCosts() }

// situations describes the situations of the runs.
func situations(d *result.Document) []string {
	var reasons [][2]string
	for i := range d.Runs {
		reasons = append(reasons, [2]string{d.Runs[i].Situation(), d.Runs[i].Scenario})
	}
	return []string{Grouped("%s: %s", reasons) + "."}
}

// column is the column of a limiter in the matrix. Its head has two lines.
type column struct {
	label, head string
	second      *algorithms.Algorithm // the algorithm whose second row this is; the row's label may depend on the limit
}

// name returns the head on one line.
func (c column) name() string { return (&Column{Name: c.head}).heading() }

// headOf breaks a long label into two lines.
func headOf(label string) string {
	if i := strings.LastIndexAny(label, "-:"); i > 0 && len(label) > 8 {
		return label[:i] + "\n" + strings.TrimPrefix(label[i:], "-")
	}
	return label
}

// of returns the column's row in a run.
func (c column) of(r *result.Run) *result.Row {
	if c.second != nil {
		return r.Find(c.second.SecondUnder(r.Limit.Policy()).Label)
	}
	return r.Find(c.label)
}

// columnsOf returns the columns for rows that all runs have. Algorithms with a place come first, each followed by its
// second row. The floor has no column.
func columnsOf(d *result.Document) (all []column) {
	names := slices.DeleteFunc(slices.Clone(d.Everywhere()), algorithms.IsFloor)
	add := func(c column) {
		var rows []string
		for i := range d.Runs {
			if row := c.of(&d.Runs[i]); row != nil {
				rows = append(rows, row.Algorithm)
			}
		}
		if slices.Contains(names, c.label) || c.second != nil && rows != nil {
			all = append(all, c)
			names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(rows, n) })
		}
	}
	for _, c := range algorithms.ByPlace() {
		if a := c.Algorithm; a.Place > 0 {
			add(column{label: a.Name, head: cmp.Or(a.Short, headOf(a.Name))})
			add(column{a.Name + ":second", a.Second.Short, a})
		}
	}
	for _, name := range names {
		all = append(all, column{label: name, head: headOf(name)})
	}
	return all
}

// matrixOf returns a matrix with a row for each run. A cell has one figure: x_limit, or the lost share, or ok. If the
// runs compare limiters, there are lines with guarantees: one above all runs whose requests cost 1, and one above each
// other run.
func matrixOf(d *result.Document, all []column, kind int, names []Cell) Table {
	t := Table{Matrix: true, Bare: true, Tight: true,
		Columns: []Column{{Name: "scenario", Words: true, Narrowest: narrowest}}}
	for _, c := range all {
		t.Columns = append(t.Columns, Column{Name: c.head})
	}
	guarantees := func(of string, runs []result.Run) {
		cells := Cells(of)
		for _, c := range all {
			cells = append(cells, Cell{Text: guaranteed(runs, c), Style: Faint})
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	alike := slices.DeleteFunc(slices.Clone(d.Runs), ownGuarantees)
	if kind == windows && len(alike) > 0 {
		guarantees("on any traffic", alike)
	}
	for i := range d.Runs {
		if kind != others && ownGuarantees(d.Runs[i]) {
			guarantees("may admit", d.Runs[i:i+1])
		}
		cells := []Cell{names[i]}
		for _, c := range all {
			cell := Cell{Text: Absent}
			if row := c.of(&d.Runs[i]); row != nil {
				cell = look(row).cell()
				if row.Shaping != nil && row.Shaping.DelayUS.Max > 0 {
					cell.Text += ", " + roughly(row.Shaping.DelayUS.Max)
				}
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, TableRow{Cells: cells})
	}
	return t
}

// CellOf returns the cell of a run's row.
func CellOf(row *result.Row) Cell { return look(row).cell() }

// roughly formats a time rounded up to whole hours, minutes or seconds, or to tenths of a second.
func roughly(us int64) string {
	unit := NaturalUnit(float64(us))
	if us >= 100_000 && us < 1_000_000 {
		return strconv.FormatFloat(math.Ceil(float64(us)/100_000)/10, 'f', -1, 64) + " s"
	}
	return Natural(math.Ceil(float64(us)/unit) * unit)
}

// guaranteed returns the largest guarantee of a column: 1, or <2 if it is one request less than 2, or 2.
func guaranteed(runs []result.Run, c column) string {
	text, largest, waits := Absent, 0.0, false
	for i := range runs {
		row := c.of(&runs[i])
		if row == nil || row.Guarantee == nil {
			continue
		}
		waits = waits || row.Shaping != nil
		if g := *row.Guarantee; g > largest {
			largest, text = g, wholeTimes(g, runs[i].Limit)
		}
	}
	if waits {
		text += ", waits"
	}
	return text
}

// wholeTimes formats a guarantee with one digit if it is a multiple of the limit, or one request less than that.
func wholeTimes(g float64, l result.Limit) string {
	whole := math.Ceil(g)
	switch {
	case g <= 1:
		return "1"
	case g == whole:
		return fmt.Sprintf("%.0f", g)
	case (whole-g)*float64(l.Requests) < 1+1e-6:
		return fmt.Sprintf("<%.0f", whole)
	}
	return Times(g)
}

// withoutTwins returns the columns without limiters that decide nearly as another column does.
func withoutTwins(all []column) []column {
	return slices.DeleteFunc(slices.Clone(all), func(c column) bool {
		twin := algorithms.Of(c.label).Traits.Twin
		return twin != "" && slices.ContainsFunc(all, func(o column) bool { return o.label == twin })
	})
}

// secondWords returns explanations for algorithms of which both rows are columns.
func secondWords(all []column, d *result.Document) (words []string) {
	for _, c := range all {
		if c.second != nil && c.of(&d.Runs[0]) != nil && d.Runs[0].Find(c.second.Name) != nil {
			words = append(words, c.second.Second.Words)
		}
	}
	return words
}

// worst replaces a matrix on a narrow terminal. It has a row for each limiter: the worst cell of its column, the
// scenario of that cell, and the number of scenarios in which the limiter is ok.
func worst(d *result.Document, all []column) Table {
	t := Table{Caption: "The worst of each", Bare: true, Narrow: true, Columns: []Column{LimiterColumn, {Name: "worst"},
		{Name: "in", Words: true, Narrowest: narrowest}, {Name: fmt.Sprintf("ok of %d", len(d.Runs))}}}
	for _, c := range all {
		var worst glimpse
		where, fine := "", 0
		for i := range d.Runs {
			var g glimpse
			if row := c.of(&d.Runs[i]); row != nil {
				g = look(row)
			}
			if g.worse(worst) {
				worst, where = g, d.Runs[i].Scenario
			}
			if g.level == 0 {
				fine++
			}
		}
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{{Text: c.name()}, worst.cell(), {Text: where},
			{Text: strconv.Itoa(fine)}}})
	}
	return t
}

// WriteConfirmation writes, below the matrix of the models, how many of their decisions the scripts confirmed. Rows
// without a model, those of users' scripts, get a matrix of their own.
func WriteConfirmation(w io.Writer, d, models *result.Document, t Terminal) error {
	own := without(d, models)
	if len(own.Everywhere()) > 0 {
		if err := WriteMatrix(w, own, t); err != nil {
			return err
		}
	}
	t.Text = textWidth
	return Sheet{{Notes: Items(confirmation(d, models)...)}}.WriteTerminal(w, t)
}

// without returns d without the rows that other has.
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

// confirmation returns the sentence for WriteConfirmation, and how many expectations were met.
func confirmation(d, models *result.Document) []string {
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
	text := fmt.Sprintf("The models decided; the Lua gave the same answer to all %s calls; %s.",
		message.Grouped(decisions), ServerWords(d.Runs[0].Server))
	switch {
	case d.Runs[0].Server.Kind == modelKind:
		text = fmt.Sprintf("The models decided %s calls; no script has confirmed them.", message.Grouped(decisions))
	case len(d.Runs) < len(models.Runs):
		text = fmt.Sprintf("Interrupted: in %d of %d scenarios, the last perhaps not to its end, the Lua gave the "+
			"models' answers.", len(d.Runs), len(models.Runs))
	}
	if checked == 0 {
		return []string{text}
	}
	return []string{text, fmt.Sprintf("%d of %s met.", met, message.Count(checked, "expectation"))}
}

// modelKind marks runs that the Go models decided.
const modelKind = "model"
