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

// WriteTable writes the answers for people: both recommendations, what they depend on, who is in each answer, the
// others with the figure that excludes each, and why.
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
	lead := []sheet.Line{{Text: d.headlineHere(), Style: sheet.Strong},
		{Text: d.headlineAnywhere(), Style: sheet.Strong}}
	if d.Finding != "" {
		lead = append(lead, sheet.Items(d.Finding)...)
	}
	return sheet.Part{
		Lead:   append(lead, sheet.Items(d.circumstances()...)...),
		Tables: d.tables(),
		Notes:  sheet.Items(d.remarks()...),
	}
}

// tables leaves out those that would be empty.
func (d *Document) tables() []sheet.Table {
	return slices.DeleteFunc([]sheet.Table{d.here(), d.anywhere(), d.neither()},
		func(t sheet.Table) bool { return len(t.Rows) == 0 })
}

// headlineHere is the first answer in one line, and headlineAnywhere the second.
func (d *Document) headlineHere() string {
	list := onThisTraffic(d.Candidates)
	if len(list) == 0 {
		return fmt.Sprintf("On this traffic: none of %d candidates keeps the tolerance", len(d.Candidates))
	}
	return "On this traffic: " + list[0].headline()
}

func (d *Document) headlineAnywhere() string {
	list := onAnyTraffic(d.Candidates)
	if len(list) == 0 {
		return fmt.Sprintf("On any traffic: none of %d candidates promises to keep it", len(d.Candidates))
	}
	return "On any traffic: " + list[0].headline()
}

func (c *Candidate) headline() string {
	if c.Burst == nil {
		return c.Algorithm
	}
	return fmt.Sprintf("%s, which admits %d at once", c.Algorithm, *c.Burst)
}

// circumstances are what the answers depend on, a line each.
func (d *Document) circumstances() []string {
	var lines []string
	for _, t := range d.Traffic {
		lines = append(lines, fmt.Sprintf("%s: limit %s, %s, %s, %s, %s", t.Scenario, t.Limit.String(),
			message.Count(t.Offered, "request"), message.Count(t.Keys, "key"), sheet.Span(t.DurationUS), t.drawn()))
	}
	lines = append(lines, "tolerated: "+d.Tolerance.String(), "order: "+d.ordered(), "decided by: "+d.decided())
	if d.Counted != nil {
		lines = append(lines, d.Counted.String())
	}
	if d.Costs != nil {
		lines = append(lines, d.Costs.String())
	}
	return lines
}

// drawn says with which seeds the traffic was played, and in how many of them the tolerance must be kept.
func (t *Traffic) drawn() string {
	if t.Seeds == 1 {
		return fmt.Sprintf("seed %d", t.Seed)
	}
	return fmt.Sprintf("%d seeds from %d on, to be kept in %d", t.Seeds, t.Seed, t.Needed)
}

func (d *Document) ordered() string {
	text := d.Prefer + ", that is " + OrderInWords(d.Prefer)
	if d.Server.Kind == Models {
		text += "; commands are unknown, since no script has run"
	}
	return text
}

func (d *Document) decided() string {
	if d.Server.Kind == Models {
		return "the Go models alone; no script has confirmed them"
	}
	return "the Go models; for those in an answer, and the nearest, confirmed by their Lua on " + d.Server.String()
}

// remarks are the lines below the tables.
func (d *Document) remarks() []string {
	var lines []string
	for _, answer := range []struct {
		name string
		Answer
	}{{"on this traffic", d.OnThisTraffic}, {"on any traffic", d.OnAnyTraffic}} {
		for _, why := range answer.Why {
			lines = append(lines, answer.name+": "+why)
		}
	}
	if d.OtherContract != nil {
		lines = append(lines, d.OtherContract.inWords())
	}
	lines = append(lines, d.Notes...)
	for _, l := range d.LeftOut {
		lines = append(lines, "left out: "+l.Reason)
	}
	for _, t := range d.Traffic {
		for _, note := range t.Notes {
			lines = append(lines, "note: "+t.Scenario+": "+note)
		}
	}
	return append(lines, "burst: how much is admitted at once; promise: the most that a row lets through whatever the "+
		"traffic; both, as x allowed, as a multiple of what the contract allows")
}

// names is the column of the algorithms.
var names = sheet.Column{Name: "algorithm", Words: true, Widest: 26, Narrowest: 14, Break: sheet.BreakList}

// rows are the rows of a table: those that decide alike, and are alike in what the table is about, stand in one.
func rows(list []*Candidate, alike func(a, b *Candidate) bool) [][]*Candidate {
	var groups [][]*Candidate
	for _, c := range list {
		i := slices.IndexFunc(groups, func(g []*Candidate) bool { return sameDecisions(g[0], c) && alike(g[0], c) })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// namesOf are the names of a group, with commas between them.
func namesOf(group []*Candidate) string {
	var labels []string
	for _, c := range group {
		labels = append(labels, c.Algorithm)
	}
	return strings.Join(labels, ", ")
}

// between is a figure of a group: one, or the least and the most; those that have none are not counted.
func between(group []*Candidate, figure func(*Candidate) *float64, text func(float64) string) string {
	var all []float64
	for _, c := range group {
		if v := figure(c); v != nil {
			all = append(all, *v)
		}
	}
	if len(all) == 0 {
		return absent
	}
	least, most := text(slices.Min(all)), text(slices.Max(all))
	if least == most {
		return least
	}
	return least + ".." + most
}

// costColumns are the columns of cost that anything is known of.
func (d *Document) costColumns() ([]sheet.Column, func([]*Candidate) []string) {
	type cost struct {
		sheet.Column
		of func(*Candidate) *float64
	}
	var all []cost
	known := func(of func(*Candidate) *float64) bool {
		return slices.ContainsFunc(d.Candidates, func(c Candidate) bool { return of(&c) != nil })
	}
	for _, c := range []cost{
		{sheet.Column{Name: "commands\nto admit"}, func(c *Candidate) *float64 { return c.CallsAdmitting }},
		{sheet.Column{Name: "to\nreject", Leaves: 4}, func(c *Candidate) *float64 { return c.CallsRejecting }},
		{sheet.Column{Name: "bytes\na key", Leaves: 1}, func(c *Candidate) *float64 { return c.BytesPerKey }},
		{sheet.Column{Name: "server\nus"}, func(c *Candidate) *float64 { return c.ServerUS }},
		{sheet.Column{Name: "instruc-\ntions"}, func(c *Candidate) *float64 { return c.Instructions }},
	} {
		if known(c.of) {
			all = append(all, c)
		}
	}
	var columns []sheet.Column
	for _, c := range all {
		columns = append(columns, c.Column)
	}
	return columns, func(group []*Candidate) []string {
		var cells []string
		for _, c := range all {
			cells = append(cells, between(group, c.of, func(v float64) string { return trimmed(v, 2) }))
		}
		return cells
	}
}

func promiseOf(c *Candidate) *float64 {
	if c.Promise == nil {
		return nil
	}
	return &c.Promise.Ratio
}

// here is the table of the first answer, by rank, anywhere that of the second, and neither that of the others.
func (d *Document) here() sheet.Table {
	costs, cells := d.costColumns()
	t := sheet.Table{Caption: "On this traffic", Columns: slices.Concat([]sheet.Column{{Name: "rank"}, names,
		{Name: "kept"}, {Name: "x allowed"}, {Name: "excess", Leaves: 3}, {Name: "shortfall"},
		{Name: "promise", Leaves: 2}},
		costs)}
	for _, group := range rows(onThisTraffic(d.Candidates), func(_, _ *Candidate) bool { return true }) {
		c := group[0]
		row := []string{fmt.Sprint(c.RankOnThisTraffic), namesOf(group), c.kept(), c.Overshoot.times(),
			c.Excess.percent(), c.Shortfall.percent(), between(group, promiseOf, sheet.Times)}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(append(row, cells(group)...)...)})
	}
	return t
}

func (d *Document) anywhere() sheet.Table {
	costs, cells := d.costColumns()
	t := sheet.Table{Caption: "On any traffic", Columns: slices.Concat([]sheet.Column{{Name: "rank"}, names,
		{Name: "burst", Leaves: 2}, {Name: "promise"}, {Name: "found"}, {Name: "shortfall\nhere"}}, costs)}
	alike := func(a, b *Candidate) bool { return a.Promise.Ratio == b.Promise.Ratio && a.burst() == b.burst() }
	for _, group := range rows(onAnyTraffic(d.Candidates), alike) {
		c := group[0]
		row := []string{fmt.Sprint(c.RankOnAnyTraffic), namesOf(group), c.burst(), sheet.Times(c.Promise.Ratio),
			c.found(), c.Shortfall.percent()}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(append(row, cells(group)...)...)})
	}
	return t
}

func (d *Document) neither() sheet.Table {
	t := sheet.Table{Caption: "In neither", Columns: []sheet.Column{names, {Name: "burst", Leaves: 2}, {Name: "kept"},
		{Name: "x allowed"}, {Name: "shortfall", Leaves: 1},
		{Name: "excluded by", Words: true, Widest: 30, Narrowest: 16, Break: sheet.BreakWords}}}
	var list []*Candidate
	for i := range d.Candidates {
		if c := &d.Candidates[i]; !c.qualifies() && !c.promises() {
			list = append(list, c)
		}
	}
	for _, group := range rows(list, func(a, b *Candidate) bool { return a.reason() == b.reason() }) {
		c := group[0]
		burst := c.burst()
		if slices.ContainsFunc(group, func(o *Candidate) bool { return o.burst() != burst }) {
			burst = absent
		}
		cells := sheet.Cells(namesOf(group), burst, c.kept(), sheet.Times(c.Overshoot.Median),
			sheet.Percent(c.Shortfall.Median), c.reason())
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

func (c *Candidate) kept() string { return fmt.Sprintf("%d/%d", c.Kept, c.Seeds) }

// times and percent are the median, and the range where there is one.
func (s Spread) times() string { return s.text(sheet.Times) }

func (s Spread) percent() string { return s.text(sheet.Percent) }

func (s Spread) text(of func(float64) string) string {
	median, least, most := of(s.Median), of(s.Least), of(s.Most)
	if least == most {
		return median
	}
	return fmt.Sprintf("%s (%s..%s)", median, least, most)
}

// found is what the search for the worst traffic came to, as the promise is written.
func (c *Candidate) found() string {
	if c.Promise.Found == nil {
		return absent
	}
	return sheet.Times(float64(*c.Promise.Found) / float64(c.Promise.Allowed))
}

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

// title names the traffic.
func (d *Document) title() string {
	if len(d.Traffic) == 1 {
		return "Which limiter for " + d.Traffic[0].Scenario + "?"
	}
	return fmt.Sprintf("Which limiter for %d scenarios?", len(d.Traffic))
}
