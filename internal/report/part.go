// Package report writes a document for people and for other tools: as tables in a terminal, Markdown, HTML, CSV and the
// benchmark format. A document is turned into parts once: lines, tables and notes. The terminal, Markdown and HTML
// show the same parts. All tables, wrapping and escaping are here.
//
// It measures nothing, draws nothing (see curves) and compares nothing.
package report

import "strings"

// Sheet is the parts of a document, in order.
type Sheet []Part

// Part is a section of a sheet. Empty fields are left out.
type Part struct {
	Title  string // of Markdown a heading
	Level  int    // of that heading; 0 stands for 3
	Lead   []Line
	Tables []Table
	Notes  []Line // below the tables
}

// Line is a paragraph, broken between words where there is no room for it.
type Line struct {
	Term  string // what it is about, which stands out on a page; successive ones are its facts
	Text  string
	Style Style
	Item  bool // on a page it is one of a list, and not a paragraph
}

// Items are lines of a list.
func Items(texts ...string) []Line {
	return each(texts, func(t string) Line { return Line{Text: t, Item: true} })
}

// each is what of makes of each element.
func each[A, B any](list []A, of func(A) B) []B {
	made := make([]B, len(list))
	for i, a := range list {
		made[i] = of(a)
	}
	return made
}

// Style is how much something stands out.
type Style int

// The styles.
const (
	Plain  Style = iota
	Faint        // steps back
	Strong       // stands out on a page
	Alarm        // stands out everywhere
)

// Table is rows of cells under columns.
type Table struct {
	Title   string // above it
	Caption string // above it on a page, where a terminal does without
	Columns []Column
	Rows    []TableRow
	Matrix  bool // on a page its headings stand upright and its cells are shaded
	Bare    bool // on a terminal no rule stands under its headings
	Tight   bool // on a terminal one blank stands between its columns instead of two
	Narrow  bool // it stands for the table after it where there is no room for that: on a phone both are shown
}

// Column is a heading and what is below it. Words go left, numbers right.
type Column struct {
	Group     string // of successive columns, above their names
	Name      string // one line, or two with a line end between them
	Words     bool
	Help      string                              // what stands in it, shown on a page where one points at the heading
	Widest    int                                 // cells are broken there; 0 for nowhere
	Narrowest int                                 // how far it gives way where the table is too wide; 0 for not at all
	Leaves    int                                 // where that is not enough the highest go first; 0 stays
	Break     func(cell string, width int) string // how cells are broken; nil for BreakLabel
}

// heading is the column's name on one line, without the hyphens at which a terminal breaks it.
func (c *Column) heading() string { return strings.TrimSpace(c.Group + " " + unbroken.Replace(c.Name)) }

var unbroken = strings.NewReplacer("\n/", "/", "-\n", "", "_\n", "_", "\n", " ")

// Numbers are columns of numbers.
func Numbers(names ...string) []Column {
	return each(names, func(name string) Column { return Column{Name: name} })
}

// TableRow is a line of a table.
type TableRow struct {
	Cells []Cell
	Faint bool // it is there to compare with: on a page it is set apart, at the foot where rows can be sorted
	Alike bool // it belongs to the row above: on a page it stands small within that one's cells
}

// Cell is a figure or a text. On a page, each line after the first is small.
type Cell struct {
	Text  string
	Style Style
	Link  string // on a page it leads there
	Key   string // on a page it is sorted by this number, where its text is no plain one
	Mark  string // on a page the class of the swatch before it, such as that of a curve
	Help  string // on a page it is shown where one points at the link
	Shade int    // in a matrix on a page, 0 for none to 4; as far below 0 where there is too little
}

// Cells are plain ones.
func Cells(texts ...string) []Cell {
	return each(texts, func(t string) Cell { return Cell{Text: t} })
}

// Absent is the text of a cell without a figure.
const Absent = "-"
