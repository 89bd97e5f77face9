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
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// WriteMatrix writes a matrix of the runs that compare limiters: all rows meet the same requests, nothing fails, and
// the contract is the usual one. Where the terminal is too narrow, it writes the worst of each limiter instead.
func WriteMatrix(w io.Writer, d *result.Document, t Terminal) error {
	same, _ := comparable(d)
	matrix := matrixOf(same, withoutTwins(columnsOf(same)))
	if t.excess(t.render(matrix.narrowest())) > 0 {
		matrix = Worst(same)
	}
	const question = "Which limiter keeps its limit in any window?  1.98: admits 1.98 x.  -7%: less."
	notes := filled([]string{ReducedWords(same),
		"Only a 1 in the first row keeps the limit whatever comes; leaky: at cost 1."})
	t.Text = textWidth
	return Sheet{{Lead: Items(question), Tables: []Table{matrix}, Notes: Items(notes...)}}.WriteTerminal(w, t)
}

// comparable is the document with the runs of the matrix only, and the number of the others.
func comparable(d *result.Document) (same *result.Document, others int) {
	same = &result.Document{}
	for i := range d.Runs {
		if d.LeftOut(&d.Runs[i]) == "" {
			same.Runs = append(same.Runs, d.Runs[i])
		}
	}
	if len(same.Runs) == 0 {
		return d, 0
	}
	return same, len(d.Runs) - len(same.Runs)
}

// column is a limiter's column in the matrix. Its head has two lines.
type column struct {
	label, head string
	reduced     *algorithms.Algorithm // of which it is the reduced setting; the label then depends on the limit
}

// headOf breaks a label that is no short one.
func headOf(label string) string {
	if i := strings.LastIndexAny(label, "-:"); i > 0 && len(label) > 8 {
		return label[:i] + "\n" + strings.TrimPrefix(label[i:], "-")
	}
	return label
}

// of is the column's row in a run.
func (c column) of(r *result.Run) *result.Row {
	if c.reduced != nil {
		return r.Find(c.reduced.ReducedUnder(r.Limit.Policy()).Label)
	}
	return r.Find(c.label)
}

// columnsOf are the columns for rows that every run has. First are those of algorithms with a place, each followed by
// that of its reduced setting. The floor has none.
func columnsOf(d *result.Document) (all []column) {
	names := slices.DeleteFunc(slices.Clone(d.Everywhere()), algorithms.IsFloor)
	add := func(c column) {
		var rows []string
		for i := range d.Runs {
			if row := c.of(&d.Runs[i]); row != nil {
				rows = append(rows, row.Algorithm)
			}
		}
		if slices.Contains(names, c.label) || c.reduced != nil && rows != nil {
			all = append(all, c)
			names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(rows, n) })
		}
	}
	for _, c := range algorithms.ByPlace() {
		if a := c.Algorithm; a.Place > 0 {
			add(column{label: a.Name, head: cmp.Or(a.Short, headOf(a.Name))})
			add(column{a.Name + ":reduced", a.Reduced.Short, a})
		}
	}
	for _, name := range names {
		all = append(all, column{label: name, head: headOf(name)})
	}
	return all
}

// Matrix has a row for what each limiter guarantees on any traffic, and one for each run. A cell has one figure:
// x_limit, or the share that is lost, or ok.
func Matrix(d *result.Document) Table { return matrixOf(d, columnsOf(d)) }

// matrixOf is Matrix with these columns.
func matrixOf(d *result.Document, all []column) Table {
	t := Table{Matrix: true, Bare: true, Tight: true, Columns: []Column{{Words: true, Narrowest: narrowest}}}
	first := Cells("on any traffic")
	for _, c := range all {
		t.Columns = append(t.Columns, Column{Name: c.head})
		first = append(first, Cell{Text: guaranteed(d, c)})
	}
	t.Rows = append(t.Rows, TableRow{Cells: first})
	for i := range d.Runs {
		cells := Cells(d.Runs[i].Scenario)
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

// roughly is a time in whole seconds or minutes, or in milliseconds with two digits: 60 min, 59 s, 970 ms.
func roughly(us int64) string {
	unit := int64(NaturalUnit(float64(us)))
	if unit < 1_000_000 {
		return Natural(math.Round(float64(us)/10_000) * 10_000)
	}
	return Natural(math.Round(float64(us)/float64(unit)) * float64(unit))
}

// guaranteed is a column's guarantee: 1, <2 where it is one request below, 2. Requests of cost 1 are meant.
func guaranteed(d *result.Document, c column) string {
	text, largest, waits := Absent, 0.0, false
	for i := range d.Runs {
		row := c.of(&d.Runs[i])
		if row == nil || row.Guarantee == nil || row.OfferedCost != row.Offered && text != Absent {
			continue
		}
		waits = waits || row.Shaping != nil
		if g := *row.Guarantee; g > largest {
			largest, text = g, wholeTimes(g, d.Runs[i].Limit)
		}
	}
	if waits {
		text += ", waits"
	}
	return text
}

// wholeTimes is a guarantee in one digit where it is a multiple of the limit, or one request less than that.
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

// withoutTwins are the columns without limiters that decide nearly as other columns do.
func withoutTwins(all []column) []column {
	return slices.DeleteFunc(slices.Clone(all), func(c column) bool {
		twin := algorithms.Of(c.label).Traits.Twin
		return twin != "" && slices.ContainsFunc(all, func(o column) bool { return o.label == twin })
	})
}

// ReducedWords says what the two settings of an algorithm are, where both are columns.
func ReducedWords(d *result.Document) string {
	for _, c := range columnsOf(d) {
		for i := range d.Runs {
			if r := &d.Runs[i]; c.reduced != nil && c.of(r) != nil && r.Find(c.reduced.Name) != nil {
				return c.reduced.Reduced.Words
			}
		}
	}
	return ""
}

// GlanceKey says what the cells mean.
var GlanceKey = "1.98: the peak, as a multiple of the limit. -7%: the share of what an exact limiter admits that " +
	"this one does not. The worse of both. ok: within the limit, and at most " + Percent(Tolerated) + " lost"

// Worst has a row for each limiter: the worst cell of its column, in which scenario that is, and in how many it is ok.
func Worst(d *result.Document) Table {
	same, _ := comparable(d)
	t := Table{Bare: true, Columns: []Column{LimiterColumn, {Name: "worst"},
		{Name: "in", Words: true, Narrowest: narrowest}, {Name: fmt.Sprintf("ok of %d", len(same.Runs))}}}
	for _, c := range columnsOf(same) {
		var worst glimpse
		where, fine := "", 0
		for i := range same.Runs {
			var g glimpse
			if row := c.of(&same.Runs[i]); row != nil {
				g = look(row)
			}
			if g.worse(worst) {
				worst, where = g, same.Runs[i].Scenario
			}
			if g.level == 0 {
				fine++
			}
		}
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{{Text: strings.ReplaceAll(c.head, "\n", " ")}, worst.cell(),
			{Text: where}, {Text: strconv.Itoa(fine)}}})
	}
	return t
}

// WriteConfirmation writes, below the matrix of the models, how many of their decisions the scripts confirmed. Rows
// without a model, those of users' scripts, have a matrix of their own.
func WriteConfirmation(w io.Writer, d, models *result.Document, t Terminal) error {
	own := without(d, models)
	if len(own.Everywhere()) > 0 {
		if err := WriteMatrix(w, own, t); err != nil {
			return err
		}
	}
	t.Text = textWidth
	return Sheet{{Notes: Items(filled(append(confirmation(d, models), others(models)))...)}}.WriteTerminal(w, t)
}

// others counts the scenarios that the matrix leaves out.
func others(d *result.Document) string {
	_, n := comparable(d)
	if n == 0 {
		return ""
	}
	why := message.Verb(n, "has", "have") + " clients that react"
	if slices.ContainsFunc(d.Runs, func(r result.Run) bool { return len(r.ClientGroups) == 0 && d.LeftOut(&r) != "" }) {
		why += ", or a fault"
	}
	return fmt.Sprintf("%s %s: simulate list", message.Count(n, "more scenario"), why)
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

// confirmation is that sentence, and how many expectations are met.
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

// modelKind is the kind of server that is none.
const modelKind = "model"
