package recommend

import (
	"fmt"
	"io"
	"slices"

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
	for i := range d.Traffic {
		if text := d.Traffic[i].apartInWords(len(d.OnThisTraffic.Algorithms)); text != "" {
			lead = append(lead, sheet.Items(text)...)
		}
	}
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
	return "On this traffic: " + list[0].headline() + alikeInWords(list, rankHere)
}

func (d *Document) headlineAnywhere() string {
	list := onAnyTraffic(d.Candidates)
	if len(list) == 0 {
		return fmt.Sprintf("On any traffic: none of %d candidates promises to keep it", len(d.Candidates))
	}
	return "On any traffic: " + list[0].headline() + alikeInWords(list, rankAnywhere)
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
			t.asked(), message.Count(t.Keys, "key"), sheet.Span(t.DurationUS), t.drawn()))
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

// asked is what the traffic asks for.
func (t *Traffic) asked() string {
	if t.Reacts {
		return message.Count(t.Offered, "operation") + " of clients that react"
	}
	return message.Count(t.Offered, "request")
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
	if _, any := d.reacts(); any {
		text += "; before all, where clients react everywhere, fewest commands for a success"
	}
	if d.Server.Kind == Models {
		text += "; commands are unknown, since no script has run"
	}
	return text
}

func (d *Document) decided() string {
	if d.Server.Kind == Models {
		return "the Go models alone; no script has confirmed them"
	}
	return "the Go models; for those in an answer, and the nearest of each algorithm, confirmed by their Lua on " +
		d.Server.String()
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
	if slices.ContainsFunc(d.tables(), hasAlike) {
		lines = append(lines, alikeNote)
	}
	return append(lines, "burst: how much is admitted at once; promise: the most that a row lets through whatever the "+
		"traffic; both, as x allowed, as a multiple of what the contract allows")
}

// names is the column of the algorithms.
var names = sheet.Column{Name: "algorithm", Words: true, Widest: 26, Narrowest: 14, Break: sheet.BreakList}

// own says of which columns the figures are a candidate's own, whoever decides alike.
func own(columns []sheet.Column) []bool {
	var all []bool
	for _, c := range columns {
		all = append(all, !slices.Contains([]string{"rank", "kept", "x allowed", "excess", "shortfall",
			"shortfall\nhere", "goodput\na second", "tries a\nsuccess", "p99 to\nsuccess", "excluded by"}, c.Name))
	}
	return all
}

// costColumns are the columns of cost that anything is known of.
func (d *Document) costColumns() ([]sheet.Column, func(*Candidate) []string) {
	type cost struct {
		sheet.Column
		of func(*Candidate) *float64
	}
	var all []cost
	known := func(of func(*Candidate) *float64) bool {
		return slices.ContainsFunc(d.Candidates, func(c Candidate) bool { return of(&c) != nil })
	}
	for _, c := range []cost{
		{sheet.Column{Name: "commands\na success"}, func(c *Candidate) *float64 { return c.CallsPerSuccess }},
		{sheet.Column{Name: "commands\nto admit", Leaves: d.whenReacting(3)},
			func(c *Candidate) *float64 { return c.CallsAdmitting }},
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
	return columns, func(c *Candidate) []string {
		var cells []string
		for _, x := range all {
			cells = append(cells, figure(x.of(c), func(v float64) string { return trimmed(v, 2) }))
		}
		return cells
	}
}

// figure is one in words, where there is one.
func figure(v *float64, text func(float64) string) string {
	if v == nil {
		return absent
	}
	return text(*v)
}

func (c *Candidate) promised() string {
	if c.Promise == nil {
		return absent
	}
	return sheet.Times(c.Promise.Ratio)
}

// here is the table of the first answer, by rank, anywhere that of the second, and neither that of the others.
func (d *Document) here() sheet.Table {
	costs, cells := d.costColumns()
	clients, served := d.clientColumns()
	t := sheet.Table{Caption: "On this traffic", Columns: slices.Concat([]sheet.Column{{Name: "rank"}, names,
		{Name: "kept"}, {Name: "x allowed"}, {Name: "excess", Leaves: 3},
		{Name: "shortfall", Leaves: d.whenReacting(2)}, {Name: "promise", Leaves: 2}}, clients, costs)}
	for _, group := range grouped(onThisTraffic(d.Candidates), sameDecisions) {
		t.Rows = append(t.Rows, groupRows(group, own(t.Columns), func(c *Candidate) []string {
			return slices.Concat([]string{fmt.Sprint(c.RankOnThisTraffic), c.Algorithm, c.kept(), c.Overshoot.times(),
				c.Excess.percent(), c.Shortfall.percent(), c.promised()}, served(c), cells(c))
		})...)
	}
	return t
}

func (d *Document) anywhere() sheet.Table {
	costs, cells := d.costColumns()
	t := sheet.Table{Caption: "On any traffic", Columns: slices.Concat([]sheet.Column{{Name: "rank"}, names,
		{Name: "burst", Leaves: 2}, {Name: "promise"}, {Name: "found"}, {Name: "shortfall\nhere"}}, costs)}
	for _, group := range grouped(onAnyTraffic(d.Candidates), samePromise) {
		t.Rows = append(t.Rows, groupRows(group, own(t.Columns), func(c *Candidate) []string {
			return append([]string{fmt.Sprint(c.RankOnAnyTraffic), c.Algorithm, c.burst(), c.promised(), c.found(),
				c.Shortfall.percent()}, cells(c)...)
		})...)
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
	alike := func(a, b *Candidate) bool { return sameDecisions(a, b) && a.excluded() == b.excluded() }
	for _, group := range grouped(list, alike) {
		t.Rows = append(t.Rows, groupRows(group, own(t.Columns), func(c *Candidate) []string {
			return []string{c.Algorithm, c.burst(), c.kept(), sheet.Times(c.Overshoot.Median),
				sheet.Percent(c.Shortfall.Median), c.excluded()}
		})...)
	}
	return t
}

// reason is the figure that is furthest beyond the tolerance.
func (c *Candidate) reason() *Exclusion {
	worst := &c.ExcludedBy[0]
	for i := range c.ExcludedBy {
		if x := &c.ExcludedBy[i]; x.times() > worst.times() {
			worst = x
		}
	}
	return worst
}

// excluded is the reason, and how many other figures are beyond the tolerance.
func (c *Candidate) excluded() string {
	if more := len(c.ExcludedBy) - 1; more > 0 {
		return fmt.Sprintf("%s; %d more", c.reason().Words, more)
	}
	return c.reason().Words
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
