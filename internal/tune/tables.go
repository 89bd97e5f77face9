package tune

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// columns are those of settings.
func (d *Document) columns(more ...sheet.Column) []sheet.Column {
	of, worst := d.Wishes.Of+" refused", "worst second"
	all := []sheet.Column{{Name: "algorithm", Words: true, Narrowest: 15}, {Name: "limit"}, {Name: "burst"},
		{Group: of, Name: "fitted"}, {Group: of, Name: "held\nout"},
		{Group: worst, Name: "fitted"}, {Group: worst, Name: "held\nout"}}
	return append(all, more...)
}

// cells are those of a row; parts of a window stand where another has its burst.
func (d *Document) cells(r *Row, more ...string) sheet.TableRow {
	burst := sheet.Absent
	switch {
	case r.Setting().IsBucket():
		burst = sheet.Integer(r.Limit.Burst)
	case r.Subwindows > 0:
		burst = fmt.Sprintf("/%d", r.Subwindows)
	}
	cells := sheet.Cells(r.Algorithm, r.Setting().Limit(), burst, d.refused(&r.Fitted), d.refused(&r.HeldOut),
		d.worst(&r.Fitted), d.worst(&r.HeldOut))
	return sheet.TableRow{Cells: append(cells, sheet.Cells(more...)...)}
}

// bestTable is for each algorithm the best setting that keeps the wishes.
func (d *Document) bestTable() sheet.Table {
	t := sheet.Table{Title: "of each algorithm what keeps the wishes best, and how many of those tried do; /10: in " +
		"so many sub-windows",
		Columns: d.columns(sheet.Column{Name: "keep"}), Tight: d.leavesOut()}
	for i := 0; i < len(d.Rows); {
		name, tried, keep := d.Rows[i].Algorithm, 0, 0
		for ; i < len(d.Rows) && d.Rows[i].Algorithm == name; i++ {
			tried++
			if d.Rows[i].Keeps {
				keep++
			}
		}
		kept := fmt.Sprintf("%d/%d", keep, tried)
		best := d.best(func(r *Row) bool { return r.Keeps && r.Algorithm == name }, d.chosenFirst)
		if best == nil {
			cells := sheet.Cells(name, "none", "", "", "", "", "", kept)
			t.Rows = append(t.Rows, sheet.TableRow{Cells: cells})
			continue
		}
		t.Rows = append(t.Rows, d.cells(&d.Rows[*best], kept))
	}
	return t
}

// frontierTable is the settings that no other beats.
func (d *Document) frontierTable() sheet.Table {
	shown := d.shownFrontier()
	t := sheet.Table{Title: fmt.Sprintf("the frontier: of %s none has both figures better, fitted; %d of its %d",
		message.Count(len(d.Rows), "setting"), len(shown), len(d.Frontier)),
		Columns: d.columns(sheet.Column{Name: "", Words: true, Narrowest: 9}), Tight: d.leavesOut()}
	for _, i := range shown {
		var marks []string
		r := &d.Rows[i]
		if is(d.Chosen, i) {
			marks = append(marks, "chosen")
		} else if r.Keeps {
			marks = append(marks, "keeps")
		}
		if is(d.Knee, i) {
			marks = append(marks, "knee")
		}
		if r.Straddles {
			marks = append(marks, "straddles")
		}
		if r.Present {
			marks = append(marks, "present")
		}
		t.Rows = append(t.Rows, d.cells(r, strings.Join(marks, ", ")))
	}
	return t
}

// mostOfFrontier is how many of its rows are spread over the table; JSON has all.
const mostOfFrontier = 10

// shownFrontier is some of the frontier, with the rows that the answer speaks of.
func (d *Document) shownFrontier() []int {
	some := spread(d.Frontier, mostOfFrontier)
	return slices.DeleteFunc(slices.Clone(d.Frontier), func(i int) bool {
		return !slices.Contains(some, i) && !is(d.Chosen, i) && !is(d.Knee, i) && !d.Rows[i].Present
	})
}

// presentTable is where the present setting stands.
func (d *Document) presentTable() sheet.Table {
	t := sheet.Table{Title: "the present setting, and what of the frontier is better",
		Columns: d.columns(sheet.Column{Name: "better", Words: true, Narrowest: 12}), Tight: d.leavesOut()}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !r.Present {
			continue
		}
		better := "nothing"
		if r.BeatenBy != nil {
			by := &d.Rows[*r.BeatenBy]
			if better = by.label(); d.kinder(by, r) == 0 && d.gentler(by, r) == 0 {
				better = "alike: " + better
			}
		}
		t.Rows = append(t.Rows, d.cells(r, better))
	}
	return t
}

// needColumns are those of the curves. Of one user there is only one question, whether it is ever refused.
func (d *Document) needColumns(first ...sheet.Column) []sheet.Column {
	for _, share := range d.shares() {
		group := given(share)
		first = append(first, sheet.Column{Group: group, Name: "least"}, sheet.Column{Group: group, Name: "held\nout"})
	}
	return first
}

// shares are those of the tabulated ones that a table has room for and that differ. A sample has no limit that refuses
// nobody: that is a maximum.
func (d *Document) shares() []float64 {
	switch {
	case d.Good.Users == 1:
		return tabulated[:1]
	case d.leavesOut():
		return tabulated[1:3]
	}
	return tabulated
}

// needCells are the numbers of a line of the curves.
func (d *Document) needCells(needs []Need, first ...string) sheet.TableRow {
	for _, n := range needs {
		if !slices.Contains(d.shares(), n.Share) {
			continue
		}
		least := sheet.Integer(n.Least)
		if n.Least >= tooMuch {
			least = sheet.Absent
		}
		held := sheet.Absent
		if users := d.Unlimited.HeldOut.Users; users > 0 {
			held = sheet.Percent(share(n.RefusedHeldOut, users))
			if d.leavesOut() {
				held = n.Sampled.HeldOut.brief()
			}
		}
		first = append(first, least, held)
	}
	return sheet.TableRow{Cells: sheet.Cells(first...)}
}

// curveWord is how curves are known.
func (d *Document) curveWord() string {
	if d.leavesOut() {
		return "estimated"
	}
	return "exact"
}

// windowTable is the exact curves of windows at some shares.
func (d *Document) windowTable() sheet.Table {
	t := sheet.Table{Title: d.curveWord() + ": the least limit that refuses no more than such a share of good users, " +
		"ever, and the share of those held out",
		Columns: d.needColumns(sheet.Column{Name: "algorithm", Words: true, Narrowest: 15},
			sheet.Column{Name: "window"}), Tight: true}
	for _, w := range d.Windows {
		t.Rows = append(t.Rows, d.needCells(w.Needs, w.Algorithm, sheet.Span(w.WindowUS)))
	}
	return t
}

// rateTable is the exact curves of buckets at some shares: of the rates those at which they change.
func (d *Document) rateTable() sheet.Table {
	t := sheet.Table{Title: d.curveWord() + ", of gcra and token-bucket: the least burst that does so at a rate",
		Columns: d.needColumns(sheet.Column{Name: "rate"})}
	last := ""
	var all []sheet.TableRow
	for _, r := range d.Rates {
		row := d.needCells(r.Needs,
			fmt.Sprintf("%d/%s", r.Requests, sheet.Span(r.WindowUS)))
		now := fmt.Sprint(row.Cells[1:])
		if now != last {
			all = append(all, row)
		}
		last = now
	}
	t.Rows = spread(all, mostRatesInTable)
	return t
}

// mostRatesInTable is how many rates a table has; JSON has all.
const mostRatesInTable = 12

// spread is so many of a list, the first and the last among them.
func spread[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	var some []T
	for i := range most {
		some = append(some, all[i*(len(all)-1)/(most-1)])
	}
	return some
}
