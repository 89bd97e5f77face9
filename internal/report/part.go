// Package report writes a document for people and for other tools: as tables in a terminal, Markdown, HTML, CSV and the
// benchmark format. A document is turned into parts once: lines, tables and notes. The terminal, Markdown and HTML show
// the same parts. This package has all tables, wrapping and escaping.
//
// It does not measure, draw (see curves) or compare.
package report

import "strings"

// Sheet has the parts of a document, in order.
type Sheet []Part

// Part is a section of a sheet. Empty fields are left out.
type Part struct {
	Title  string // a heading in Markdown
	Level  int    // the level of that heading; 0 means 3
	Lead   []Line
	Tables []Table
	Notes  []Line // below the tables
}

// Line is a paragraph. If it is too long, it breaks between words.
type Line struct {
	Term  string // its subject, emphasized on a page; consecutive lines with terms form a list of facts
	Text  string
	Style Style
	Item  bool // an item of a list on a page, not a paragraph
}

// Items returns texts as items of a list.
func Items(texts ...string) []Line {
	return each(texts, func(t string) Line { return Line{Text: t, Item: true} })
}

// each returns the results of of for all elements of a list.
func each[A, B any](list []A, of func(A) B) []B {
	made := make([]B, len(list))
	for i, a := range list {
		made[i] = of(a)
	}
	return made
}

// Style is how much a text is emphasized.
type Style int

// The styles.
const (
	Plain  Style = iota
	Faint        // less visible
	Strong       // emphasized on a page
	Alarm        // emphasized everywhere
)

// Table is rows of cells under columns.
type Table struct {
	Title   string // shown above the table
	Caption string // shown above the table on a page, but not on a terminal
	Columns []Column
	Rows    []TableRow
	Matrix  bool // on a page its headings are vertical and its cells are shaded
	Bare    bool // on a terminal there is no rule below the headings
	Tight   bool // on a terminal one blank separates the columns instead of two
	Narrow  bool // replaces the next table if that is too wide for a terminal; a page has both, for phones
}

// Column is a heading with the cells below it. Words are aligned left, numbers right.
type Column struct {
	Group string // a common heading above consecutive columns
	Name  string // one line, or two with a line end between them
	Words bool
	// an explanation, which a page shows when the pointer is on the heading
	Help   string
	Widest int // cells are broken at this width; 0: never
	// the least width to which the column shrinks if the table is too wide; 0: it does not shrink
	Narrowest int
	// the order in which columns leave if that is not enough: the highest first; 0: never
	Leaves int
	Break  func(cell string, width int) string // breaks a cell; nil: BreakLabel
}

// heading returns the column's name on one line, without the hyphens at which a terminal breaks it.
func (c *Column) heading() string { return strings.TrimSpace(c.Group + " " + unbroken.Replace(c.Name)) }

var unbroken = strings.NewReplacer("\n/", "/", "-\n", "", "_\n", "_", "\n", " ")

// Numbers returns columns of numbers.
func Numbers(names ...string) []Column {
	return each(names, func(name string) Column { return Column{Name: name} })
}

// TableRow is a line of a table.
type TableRow struct {
	Cells []Cell
	Faint bool // for comparison only: a page shows it apart, at the foot of a table that can be sorted
	Alike bool // decides as the row above: a page shows it in small print in that row's cells
}

// Cell is a figure or a text. On a page, each line after the first is small.
type Cell struct {
	Text  string
	Style Style
	Link  string // on a page, the target of a link
	Key   string // on a page, the number to sort by if the text is not a plain number
	Mark  string // on a page, the class of the swatch before the text, such as that of a curve
	Help  string // on a page, shown when the pointer is on the link
	Shade int    // in a matrix on a page: 0 for no shade, up to 4 for too much, down to -4 for too little
}

// Cells returns plain cells with these texts.
func Cells(texts ...string) []Cell {
	return each(texts, func(t string) Cell { return Cell{Text: t} })
}

// Absent is the text of a cell without a figure.
const Absent = "-"
