package recording

// section is a part of what people read; the table and the Markdown show the same ones.
type section struct {
	title string
	lines []string // above the grid, each a paragraph
	grid  grid
	notes []string // below it
}

// grid is a table: rows of cells under columns.
type grid struct {
	columns []column
	rows    [][]string
}

// column is a heading; successive columns of one group stand under the group's name.
type column struct {
	group string
	name  string
	text  bool // words, which go left; numbers go right
}

// heading is the column's name where there is one line for it.
func (c column) heading() string {
	if c.group == "" {
		return c.name
	}
	return c.group + " " + c.name
}

// grouped reports whether any column is in a group.
func (g *grid) grouped() bool {
	for _, c := range g.columns {
		if c.group != "" {
			return true
		}
	}
	return false
}

// sections are the whole document in the order in which it is read.
func (r *Recording) sections() []section {
	list := []section{r.opening()}
	for i := range r.Runs {
		list = append(list, r.Runs[i].section())
	}
	if len(r.Costs) > 0 {
		list = append(list, r.costSection())
	}
	if len(r.Settings.Sweep) > 0 && len(r.Costs) > 0 {
		list = append(list, r.sweepSection())
	}
	if len(r.Costs) > 0 {
		list = append(list, r.memorySection())
	}
	if lines := r.unavailable(); lines != nil {
		list = append(list, section{title: "Unavailable", notes: lines})
	}
	return list
}
