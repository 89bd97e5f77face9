package page

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/chart"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// label is a row's name on the page, with the number of its look.
type label struct {
	Text  string
	Index int
	Off   bool // not drawn at first
}

// labels numbers the names of the rows of all runs, in the order of their first appearance. The reference is last.
type labels struct {
	list  []label
	index map[string]int
	raw   []string

	runs    []int // for each name in list, the number of runs with a row of that name
	several bool  // there is more than one run

	order []int // the order in which rows are drawn if there are too many for one chart
}

func newLabels(runs []result.Run, bench *result.Document) *labels {
	l := &labels{index: map[string]int{}, several: len(runs) > 1}
	others := false
	for i := range runs {
		for j := range runs[i].Results {
			name := runs[i].Results[j].Algorithm
			l.add(name)
			l.runs[l.index[name]]++
			others = others || !algorithms.IsFloor(name)
		}
	}
	for i, name := range l.raw {
		// it admits everything, and its scale would make the others flat
		l.list[i].Off = others && algorithms.IsFloor(name)
	}
	for i := range runs {
		if play := playOf(bench, &runs[i]); play != nil {
			for _, p := range bench.Plays(play) { // some rows may exist only in bench run's document
				l.add(p.Algorithm)
			}
			l.add(offeredLabel)
		}
	}
	l.add(result.ReferenceLabel)
	return l
}

func (l *labels) add(name string) {
	if _, known := l.index[name]; known {
		return
	}
	l.index[name] = len(l.list)
	l.list = append(l.list, label{Text: message.Visible(name), Index: len(l.list)})
	l.raw = append(l.raw, name)
	l.runs = append(l.runs, 0)
}

// ranked returns l for the charts of r: the exact reference first, then the rows that differ most from it.
func (l *labels) ranked(r *result.Run) *labels {
	rows := slices.Clone(r.Results)
	wrong := func(row *result.Row) float64 { return max(row.XLimit-1, row.Lost) }
	slices.SortStableFunc(rows, func(a, b result.Row) int { return cmp.Compare(wrong(&b), wrong(&a)) })
	ranked := *l
	ranked.order = []int{l.index[result.ReferenceLabel]}
	for i := range rows {
		ranked.order = append(ranked.order, l.index[rows[i].Algorithm])
	}
	for n := range l.list {
		ranked.order = append(ranked.order, n)
	}
	return &ranked
}

func (l *labels) of(name string) label { return l.list[l.index[name]] }

// marked sets the looks of the rows of tables, by the names in the first column.
func (l *labels) marked(tables []report.Table) []report.Table {
	for _, t := range tables {
		for _, r := range t.Rows {
			if i, known := l.index[r.Cells[0].Text]; known {
				r.Cells[0].Mark = fmt.Sprintf("a%d", i)
			}
		}
	}
	return tables
}

// legend has the labels, with those of one algorithm together: gcra, then gcra:burst=100. Labels that occur in a single
// scenario are separate, because there are too many of them.
type legend struct{ Shared, Single []label }

func (l *labels) legend() legend {
	var all legend
	for _, n := range l.byAlgorithm() {
		if l.runs[n.Index] == 1 && l.several {
			all.Single = append(all.Single, n)
		} else {
			all.Shared = append(all.Shared, n)
		}
	}
	return all
}

func (l *labels) byAlgorithm() []label {
	algorithm := func(n label) int {
		if first, known := l.index[algorithms.NameOf(l.raw[n.Index])]; known {
			return first
		}
		return n.Index
	}
	list := slices.Clone(l.list)
	slices.SortStableFunc(list, func(a, b label) int { return algorithm(a) - algorithm(b) })
	return list
}

// css returns each label's dashes and its colours for light and dark pages.
func (l *labels) css() string {
	var out strings.Builder
	looks := chart.Looks(l.raw)
	for i, name := range l.raw {
		dash := "none"
		if pattern := looks[name].Dashes; pattern != nil {
			dash = strings.Trim(fmt.Sprint(pattern), "[]")
		}
		fmt.Fprintf(&out, ".a%d{--c:%s;--d:%s}\n", i, Colour(name), dash)
	}
	return out.String()
}

// Colour returns a row's colour in CSS, for light and dark paper.
func Colour(label string) string {
	c := chart.Color(label)
	return "light-dark(" + hex(distinct(c)) + "," + hex(chart.OnDark(c)) + ")"
}

// leastContrast is the contrast that a meaningful line needs. Source: WCAG 2.2, success criterion 1.4.11.
const leastContrast = 3

// distinct returns c, made darker until the contrast to light paper is sufficient.
func distinct(c color.NRGBA) color.NRGBA {
	black := color.NRGBA{0, 0, 0, 0xff}
	for share := 0.0; share < 1; share += 0.04 {
		if m := mixed(c, black, share); contrast(m, chart.Paper) >= leastContrast {
			return m
		}
	}
	return black
}

func mixed(a, b color.NRGBA, share float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-share) + float64(y)*share)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// contrast returns the contrast ratio of two colours. Source: WCAG 2.2, "contrast ratio".
func contrast(a, b color.NRGBA) float64 {
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// luminance returns the luminance of an sRGB colour, 0 to 1. Source: WCAG 2.2, "relative luminance".
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
