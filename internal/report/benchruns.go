package report

import (
	"fmt"
	"math"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// late says what on_late does to a request that comes late.
var late = map[string]string{"queue": "queued", "drop": "dropped", "fatal": "fatal"}

// benchPart is a scenario: a line for each algorithm.
func benchPart(r *result.BenchRun) Part {
	var lead, notes []string
	if r.Question != "" {
		lead = append(lead, r.Question)
	}
	t := benchRunTable()
	for i := range r.Rows {
		row := &r.Rows[i]
		add(&t, benchRunCells(row)...)
		if row.Open.Dropped > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d of %d were late and dropped", row.Algorithm, row.Open.Dropped,
				row.Open.Offered))
		}
		if n := row.Work.KeysLeftWithoutTTL; n != nil && *n > 0 {
			notes = append(notes, fmt.Sprintf("%s leaves %s without a TTL, which stay until somebody deletes them",
				row.Algorithm, message.Count(int(*n), "key")))
		}
		if n := row.Work.Evicted; n != nil && *n > 0 {
			notes = append(notes, fmt.Sprintf("%s: the server evicted %s; its memory is too small", row.Algorithm,
				message.Count(int(*n), "key")))
		}
	}
	for _, n := range r.Notes {
		notes = append(notes, "note: "+n)
	}
	return Part{Title: r.Scenario, Lead: Items(append(lead, played(r))...),
		Tables: []Table{t}, Notes: Items(notes...)}
}

func played(r *result.BenchRun) string {
	parts := []string{"limit " + r.Limit.String(), Span(r.PlayedUS) + " played"}
	if r.DurationUS > r.PlayedUS {
		parts[1] = fmt.Sprintf("%s of %s played, from %s on", Span(r.PlayedUS), Span(r.DurationUS),
			Span(r.FromUS))
	}
	if len(r.Rows) > 0 {
		o := &r.Rows[0].Open
		parts = append(parts, fmt.Sprintf("%s/s intended, %s/s achieved", Significant(o.IntendedPerS),
			Significant(o.AchievedPerS)))
	}
	if word := late[r.OnLate]; word != "" {
		parts = append(parts, "late requests are "+word)
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), "; ")
}

// runColumn is a column of a scenario's table, and what it says of a row.
type runColumn struct {
	Column
	of func(*result.BenchRow) string
}

var runColumns = []runColumn{
	{Column{Name: "admitted"}, admitted},
	{Column{Name: "virtual"}, func(r *result.BenchRow) string {
		if r.Exact == nil {
			return Absent
		}
		return Integer(r.Exact.Admitted)
	}},
	{Column{Name: "differs"}, differs},
	{Column{Group: "response", Name: "p50"},
		func(r *result.BenchRow) string { return percentile(r.Open.Latency.Overall().Response, 50) }},
	{Column{Group: "response", Name: "p99"},
		func(r *result.BenchRow) string { return percentile(r.Open.Latency.Overall().Response, 99) }},
	{Column{Group: "lag", Name: "p99", Leaves: 1},
		func(r *result.BenchRow) string { return percentile(r.Open.Latency.Overall().Lag, 99) }},
	{Column{Group: "server", Name: "µs"},
		func(r *result.BenchRow) string { return optional(r.Open.ServerUSPerCall) }},
}

// admitted is what a round admitted, the median of all.
func admitted(r *result.BenchRow) string {
	var all []float64
	for _, round := range r.Rounds {
		all = append(all, float64(round.Accepted))
	}
	if all == nil {
		return Absent
	}
	return Integer(int64(math.Round(result.Median(all))))
}

// differs is how many decisions of a round are not those of virtual time, the most of all.
func differs(r *result.BenchRow) string {
	d := r.Differences()
	if d == nil {
		return Absent
	}
	return Integer(d.Most)
}

func benchRunTable() Table {
	var columns []Column
	for _, c := range runColumns {
		columns = append(columns, c.Column)
	}
	return benchTable(columns...)
}

// benchRunCells are a row's line.
func benchRunCells(r *result.BenchRow) []string {
	line := []string{r.Algorithm}
	for _, c := range runColumns {
		line = append(line, c.of(r))
	}
	return line
}
