package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"ratelab/internal/limit"
)

// findingTable is a small table below a run's rows, for what only some runs have.
type findingTable struct {
	title   string
	columns []findingColumn
	rows    []*Row // those that have it
	named   bool   // the headings are names that a scenario gives, and not ours
}

// findingColumn is a column after the algorithm's; its heading has two lines, as a column's.
type findingColumn struct {
	over, under string
	text        func(*Row) string
}

// absent is a figure that a row does not have.
const absent = "-"

// findingTables are those that the run has.
func (r *Run) findingTables() []findingTable {
	tables := []findingTable{
		{"how the clients fared", clientColumns, r.rowsWith(func(row *Row) bool { return row.Clients != nil }), false},
		{"who got through: operations that succeeded, of all, by group of clients", groupColumns(r), r.rowsWith(func(row *Row) bool { return row.Clients != nil && len(r.ClientGroups) > 1 }), true},
		{"against the same clients with clocks that are right", clockColumns(r), r.rowsWith(func(row *Row) bool { return row.ClockEffect != nil }), false},
	}
	if !slices.ContainsFunc(tables[0].rows, func(row *Row) bool { return row.Clients.Attempts > row.Clients.Operations }) {
		tables[0].rows = nil // nobody ever tried again: the counts above say it all
	}
	return slices.DeleteFunc(tables, func(t findingTable) bool { return len(t.rows) == 0 })
}

func (r *Run) rowsWith(has func(*Row) bool) []*Row {
	var rows []*Row
	for i := range r.Results {
		if has(&r.Results[i]) {
			rows = append(rows, &r.Results[i])
		}
	}
	return rows
}

var clientColumns = []findingColumn{
	{"tries", "", func(r *Row) string { return integer(r.Clients.Attempts) }},
	{"suc-", "ceeded", func(r *Row) string { return integer(r.Clients.Succeeded) }},
	{"good-", "put/s", func(r *Row) string { return fmt.Sprintf("%.1f", r.Clients.GoodputPerSecond) }},
	{"tries a", "success", func(r *Row) string {
		if r.Clients.Amplification == nil {
			return absent
		}
		return fmt.Sprintf("%.2f", *r.Clients.Amplification)
	}},
	{"done", "p50", func(r *Row) string { return r.Clients.percentile(func(p *Percentiles) int64 { return p.P50 }) }},
	{"after", "p99", func(r *Row) string { return r.Clients.percentile(func(p *Percentiles) int64 { return p.P99 }) }},
	{"lock-", "step", func(r *Row) string { return integer(r.Clients.Lockstep) }},
	{"retry_", "true", func(r *Row) string { return r.Clients.RetryAfter.share() }},
}

// groupColumns has one for each group of clients.
func groupColumns(r *Run) []findingColumn {
	var columns []findingColumn
	for i, name := range r.ClientGroups {
		columns = append(columns, findingColumn{Printable(name), "", func(row *Row) string {
			g := &row.Clients.Groups[i]
			return fmt.Sprintf("%d/%d", g.Succeeded, g.Operations)
		}})
	}
	return columns
}

func clockColumns(r *Run) []findingColumn {
	return []findingColumn{
		{"extra", "", func(row *Row) string { return integer(row.ClockEffect.ExtraAdmitted) }},
		{"missing", "", func(row *Row) string { return integer(row.ClockEffect.MissingAdmitted) }},
		{"peak in " + limit.FormatDuration(microseconds(r.Limit.WindowUS)), "clocks right", func(row *Row) string { return integer(row.ClockEffect.PeakWithRightClocks) }},
		{"as it", "was", func(row *Row) string { return integer(row.PeakWindowAdmitted) }},
		{"lockout", "", func(row *Row) string { return briefly(row.ClockEffect.LockoutUS) }},
		{"recovery", "", func(row *Row) string { return briefly(row.ClockEffect.RecoveryUS) }},
	}
}

func (c *Clients) percentile(of func(*Percentiles) int64) string {
	if c.TimeToSuccessUS == nil {
		return absent
	}
	return briefly(of(c.TimeToSuccessUS))
}

// share is how many of the answers that named a time to wait were true, rounded down: 100% are all of them.
func (r *RetryAfter) share() string {
	switch {
	case r == nil || r.Checked == 0:
		return absent
	case r.True == r.Checked:
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", float64(1000*r.True/r.Checked)/10)
}

// briefly is a duration to three digits, in ASCII.
func briefly(us int64) string {
	if us == 0 {
		return "0s"
	}
	d, unit := microseconds(us), time.Microsecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return strings.ReplaceAll(limit.FormatDuration(d.Round(unit)), "µ", "u")
}

// renderFinding is the table for a terminal.
func (o TableOptions) renderFinding(f findingTable) string {
	head := table.Row{"algorithm"}
	for _, c := range f.columns {
		head = append(head, strings.TrimSuffix(c.over+"\n"+c.under, "\n"))
	}
	render := func(firstWidth int) string {
		t := table.NewWriter()
		t.SetStyle(PlainStyle())
		t.SetColumnConfigs(alignments(len(f.columns), firstWidth))
		t.AppendHeader(head)
		for _, row := range f.rows {
			cells := table.Row{Printable(row.Algorithm)}
			for _, c := range f.columns {
				cells = append(cells, c.text(row))
			}
			t.AppendRow(cells)
		}
		return TrimRight(t.Render())
	}
	var labels []string
	for _, row := range f.rows {
		labels = append(labels, row.Algorithm)
	}
	return o.fitted(labels, render)
}

// markdown is the table for GitHub.
func (f findingTable) markdown() string {
	var out strings.Builder
	head, rule := "| algorithm |", "|:---|"
	for _, c := range f.columns {
		heading := column{over: c.over, under: c.under}.heading()
		if f.named {
			heading = EscapeMarkdown(heading)
		}
		head += " " + heading + " |"
		rule += "---:|"
	}
	fmt.Fprintf(&out, "\n%s%s:\n\n%s\n%s\n", strings.ToUpper(f.title[:1]), f.title[1:], head, rule)
	for _, row := range f.rows {
		fmt.Fprintf(&out, "| %s |", EscapeMarkdown(row.Algorithm))
		for _, c := range f.columns {
			fmt.Fprintf(&out, " %s |", c.text(row))
		}
		out.WriteByte('\n')
	}
	return out.String()
}
