package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
	"ratelab/internal/wording"
)

// findingTables are small tables below a run's rows, for what only some runs have, of the rows that have it.
func (r *Run) findingTables() []sheet.Table {
	fared := r.rowsWith(func(row *Row) bool { return row.Clients != nil })
	groups := fared
	if len(r.ClientGroups) < 2 {
		groups = nil
	}
	if !slices.ContainsFunc(fared, func(row *Row) bool { return row.Clients.Attempts > row.Clients.Operations }) {
		fared = nil // nobody ever tried again: the counts above say it all
	}
	tables := []sheet.Table{
		findingTable("how the clients fared", clientColumns, fared),
		findingTable("who got through: operations that succeeded, of all, by group of clients", groupColumns(r), groups),
		findingTable("against the same clients with clocks that are right", clockColumns(r), r.rowsWith(func(row *Row) bool { return row.ClockEffect != nil })),
	}
	return slices.DeleteFunc(tables, func(t sheet.Table) bool { return len(t.Rows) == 0 })
}

// findingColumn is a column after the algorithm's.
type findingColumn struct {
	heading string
	leaves  int // where there is no room: see sheet.Column
	text    func(*Row) string
}

func findingTable(title string, columns []findingColumn, rows []*Row) sheet.Table {
	t := sheet.Table{Title: title, Columns: []sheet.Column{{Name: "algorithm", Words: true, Narrowest: narrowest}}}
	for _, c := range columns {
		t.Columns = append(t.Columns, sheet.Column{Name: c.heading, Leaves: c.leaves})
	}
	for _, row := range rows {
		cells := sheet.Cells(row.Algorithm)
		for _, c := range columns {
			cells = append(cells, sheet.Cell{Text: c.text(row)})
		}
		t.Rows = append(t.Rows, sheet.Row{Cells: cells})
	}
	return t
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
	{"tries", 4, func(r *Row) string { return integer(r.Clients.Attempts) }},
	{"suc-\nceeded", 0, func(r *Row) string { return integer(r.Clients.Succeeded) }},
	{"good-\nput/s", 0, func(r *Row) string { return fmt.Sprintf("%.1f", r.Clients.GoodputPerSecond) }},
	{"tries a\nsuccess", 1, func(r *Row) string {
		if r.Clients.Amplification == nil {
			return sheet.Absent
		}
		return fmt.Sprintf("%.2f", *r.Clients.Amplification)
	}},
	{"done\np50", 5, func(r *Row) string { return r.Clients.percentile(func(p *Percentiles) int64 { return p.P50 }) }},
	{"after\np99", 2, func(r *Row) string { return r.Clients.percentile(func(p *Percentiles) int64 { return p.P99 }) }},
	{"lock-\nstep", 3, func(r *Row) string { return integer(r.Clients.Lockstep) }},
	{"retry_\ntrue", 6, func(r *Row) string { return r.Clients.RetryAfter.share() }},
}

// groupColumns has one for each group of clients.
func groupColumns(r *Run) []findingColumn {
	var columns []findingColumn
	for i, name := range r.ClientGroups {
		columns = append(columns, findingColumn{wording.Visible(name), i + 1, func(row *Row) string {
			g := &row.Clients.Groups[i]
			return fmt.Sprintf("%d/%d", g.Succeeded, g.Operations)
		}})
	}
	return columns
}

func clockColumns(r *Run) []findingColumn {
	return []findingColumn{
		{"extra", 0, func(row *Row) string { return integer(row.ClockEffect.ExtraAdmitted) }},
		{"missing", 0, func(row *Row) string { return integer(row.ClockEffect.MissingAdmitted) }},
		{"peak in " + limit.FormatDuration(microseconds(r.Limit.WindowUS)) + "\nclocks right", 1, func(row *Row) string { return integer(row.ClockEffect.PeakWithRightClocks) }},
		{"as it\nwas", 1, func(row *Row) string { return integer(row.PeakWindowAdmitted) }},
		{"lockout", 2, func(row *Row) string { return briefly(row.ClockEffect.LockoutUS) }},
		{"recovery", 3, func(row *Row) string { return briefly(row.ClockEffect.RecoveryUS) }},
	}
}

func (c *Clients) percentile(of func(*Percentiles) int64) string {
	if c.TimeToSuccessUS == nil {
		return sheet.Absent
	}
	return briefly(of(c.TimeToSuccessUS))
}

// share is how many of the answers that named a time to wait were true, rounded down: 100% are all of them.
func (r *RetryAfter) share() string {
	switch {
	case r == nil || r.Checked == 0:
		return sheet.Absent
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
