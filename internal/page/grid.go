package page

import (
	"slices"
	"strconv"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

// grid is a table of the page. Its script sorts the rows, and lets the foot be.
type grid struct {
	Caption string
	Head    []heading // after the column of names
	Rows    []line
	Foot    []line
}

// heading names a column, and says in a few words what stands in it.
type heading struct{ Text, Title string }

// line is a row under its name.
type line struct {
	Name  label
	Cells []cell
}

// cell is one figure. Key is what it is sorted by where its text is no plain number.
type cell struct {
	Text string
	Key  string
	Over bool // above the limit: it stands out
	Left bool // words rather than a number
}

// withoutEmpty drops the columns in which no row has anything, such as the memory that only a real server tells.
func (g grid) withoutEmpty() grid {
	for c := len(g.Head) - 1; c >= 0; c-- {
		filled := slices.ContainsFunc(g.Rows, func(l line) bool { return l.Cells[c].Text != "" })
		if filled {
			continue
		}
		g.Head = slices.Delete(slices.Clone(g.Head), c, c+1)
		for i := range g.Rows {
			g.Rows[i].Cells = slices.Delete(g.Rows[i].Cells, c, c+1)
		}
	}
	return g
}

func whole(n int64) cell { return cell{Text: chart.Exact(n)} }

func percentage(f float64) cell { return cell{Text: sheet.Percent(f), Key: key(f)} }

// duration shows µs in the unit that suits them.
func duration(us int64) cell { return cell{Text: span(us), Key: strconv.FormatInt(us, 10)} }

func key(f float64) string { return strconv.FormatFloat(f, 'g', 9, 64) }
