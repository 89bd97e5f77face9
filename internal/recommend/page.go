package recommend

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// What people read: the table and the Markdown show the same parts.

// usualWidth is that of the table where no terminal says otherwise: what most terminals and reviews show without a
// break.
const usualWidth = 86

// WriteTable writes the answer for people: the recommendation, what it depends on, those that qualify, the others with
// the figure that excludes each, and why.
func WriteTable(w io.Writer, d *Document, t sheet.Terminal) error {
	return sheet.Sheet{d.part()}.WriteTerminal(w, t.Or(usualWidth))
}

// WriteMarkdown writes what the table shows for a design document.
func WriteMarkdown(w io.Writer, d *Document) error {
	part := d.part()
	part.Title = d.title()
	return sheet.Sheet{part}.WriteMarkdown(w)
}

func (d *Document) part() sheet.Part {
	return sheet.Part{
		Lead:   append([]sheet.Line{{Text: d.headline(), Style: sheet.Strong}}, sheet.Items(d.circumstances()...)...),
		Tables: []sheet.Table{d.qualified(), d.excluded()},
		Notes:  sheet.Items(d.remarks()...),
	}
}

// headline is the answer in one line.
func (d *Document) headline() string {
	if d.Recommended == "" {
		return fmt.Sprintf("Recommended: none of %d candidates keeps the tolerance", len(d.Candidates))
	}
	c := &d.Candidates[0]
	line := "Recommended: " + c.Algorithm
	if c.Burst != nil {
		line += fmt.Sprintf(", which admits %d at once", *c.Burst)
	}
	return line
}

// circumstances are what the answer depends on, a line each.
func (d *Document) circumstances() []string {
	var lines []string
	for _, t := range d.Traffic {
		line := fmt.Sprintf("%s: limit %s, %s, %s, %s, seed %d", t.Scenario, t.Limit.String(),
			message.Count(t.Offered, "request"), message.Count(t.Keys, "key"),
			sheet.Span(t.DurationUS), t.Seed)
		lines = append(lines, line)
	}
	lines = append(lines, "tolerated: "+d.Tolerance.String(), "order: "+d.Prefer+", that is "+OrderInWords(d.Prefer),
		"decided by: "+d.decided())
	if d.Costs != nil {
		lines = append(lines, d.Costs.String())
	}
	return lines
}

func (d *Document) decided() string {
	if d.Server.Kind == Models {
		return "the Go models alone; no script has confirmed them"
	}
	return "the Go models; for those that qualify, and the nearest, confirmed by their Lua on " + d.Server.String()
}

// remarks are the lines below the tables.
func (d *Document) remarks() []string {
	lines := append([]string{}, d.Why...)
	for _, t := range d.Ties {
		if !d.qualifies(t.Algorithms[0]) {
			continue // the others' stand in one row
		}
		lines = append(lines, listed(t.Algorithms)+" decide identically here")
	}
	for _, l := range d.LeftOut {
		lines = append(lines, "left out: "+l.Reason)
	}
	for _, t := range d.Traffic {
		for _, note := range t.Notes {
			lines = append(lines, "note: "+t.Scenario+": "+note)
		}
	}
	return append(lines, "burst: how much is admitted at once; a row with another burst keeps another promise")
}

func (d *Document) qualifies(label string) bool {
	return slices.ContainsFunc(d.Candidates, func(c Candidate) bool { return c.Algorithm == label && c.Qualifies })
}

// listed is "a, b and c".
func listed(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// names is the column of the algorithms.
var names = sheet.Column{Name: "algorithm", Words: true, Widest: 24, Narrowest: 14, Break: sheet.BreakList}

// qualified is the table of those that qualify, by rank; excluded that of the others.
func (d *Document) qualified() sheet.Table {
	t := sheet.Table{Caption: "Those that qualify", Columns: []sheet.Column{{Name: "rank"}, names}}
	t.Columns = append(t.Columns, sheet.Column{Name: "burst"}, sheet.Column{Name: "x\nlimit"},
		sheet.Column{Name: "above L\nwithin", Leaves: 2},
		sheet.Column{Name: "false\nadmits", Leaves: 3}, sheet.Column{Name: "false\nrejects",
			Leaves: 1}, sheet.Column{Name: "used", Leaves: 4}, sheet.Column{Name: "calls"})
	if d.Costs != nil {
		t.Columns = append(t.Columns, sheet.Numbers("server\nus")...)
	}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		if !c.Qualifies {
			continue
		}
		row := []string{fmt.Sprint(c.Rank), c.Algorithm, c.burst(), sheet.Times(c.Overshoot.Value), c.within(),
			sheet.Percent(c.FalseAdmits.Value), sheet.Percent(c.FalseRejects.Value),
			fmt.Sprintf("%.1f%%", 100*c.Utilization.Value), c.calls()}
		if d.Costs != nil {
			row = append(row, c.serverUS())
		}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(row...)})
	}
	return t
}

// excluded has one row for those that decide identically and are excluded by the same.
func (d *Document) excluded() sheet.Table {
	t := sheet.Table{Caption: "Those that do not", Columns: []sheet.Column{names}}
	t.Columns = append(t.Columns, sheet.Column{Name: "burst", Leaves: 2}, sheet.Column{Name: "x\nlimit"},
		sheet.Column{Name: "above L\nwithin", Leaves: 3},
		sheet.Column{Name: "false\nrejects", Leaves: 1})
	t.Columns = append(t.Columns, sheet.Column{Name: "excluded by", Words: true, Widest: 26, Narrowest: 14,
		Break: sheet.BreakWords})
	var last *Candidate
	for i := range d.Candidates {
		c := &d.Candidates[i]
		if c.Qualifies {
			continue
		}
		if last != nil && sameDecisions(last, c) && last.reason() == c.reason() {
			t.Rows[len(t.Rows)-1].Cells[0].Text += ", " + c.Algorithm
			continue
		}
		last = c
		cells := sheet.Cells(c.Algorithm, c.burst(), sheet.Times(c.Overshoot.Value), c.within(),
			sheet.Percent(c.FalseRejects.Value), c.reason())
		t.Rows = append(t.Rows, sheet.TableRow{Cells: cells})
	}
	return t
}

// reason is the figure that is furthest beyond the tolerance, and how many others are beyond it.
func (c *Candidate) reason() string {
	worst := slices.MaxFunc(c.ExcludedBy, func(x, y Exclusion) int { return cmp.Compare(x.times(), y.times()) })
	if more := len(c.ExcludedBy) - 1; more > 0 {
		return fmt.Sprintf("%s; %d more", worst.Words, more)
	}
	return worst.Words
}

const absent = "-"

// burst is the one of all scenarios, or the least and the most.
func (c *Candidate) burst() string {
	if c.Burst != nil {
		return fmt.Sprint(*c.Burst)
	}
	var least, most int64
	for i := range c.Scenarios {
		n := c.Scenarios[i].Burst
		if n == nil {
			return absent
		}
		if i == 0 {
			least = *n
		}
		least, most = min(least, *n), max(most, *n)
	}
	return fmt.Sprintf("%d..%d", least, most)
}

// within is the shortest interval of any scenario in which the limit was exceeded.
func (c *Candidate) within() string {
	var least *int64
	for i := range c.Scenarios {
		if us := c.Scenarios[i].OverLimitWithinUS; us != nil && (least == nil || *us < *least) {
			least = us
		}
	}
	if least == nil {
		return absent
	}
	return sheet.Span(*least)
}

func (c *Candidate) calls() string {
	if c.RedisCalls == nil {
		return absent
	}
	return trimmed(c.RedisCalls.Value, 2)
}

func (c *Candidate) serverUS() string {
	if c.ServerUS == nil {
		return absent
	}
	return trimmed(*c.ServerUS, 2)
}

// title names the traffic.
func (d *Document) title() string {
	if len(d.Traffic) == 1 {
		return "Which limiter for " + d.Traffic[0].Scenario + "?"
	}
	return fmt.Sprintf("Which limiter for %d scenarios?", len(d.Traffic))
}
