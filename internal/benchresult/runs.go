package benchresult

import (
	"fmt"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// late says what on_late does to a request that comes late.
var late = map[string]string{"queue": "queued", "drop": "dropped", "fatal": "fatal"}

// part is a scenario: a line for each algorithm's admissions and one for its rejections.
func (r *Play) part() sheet.Part {
	var lead, notes []string
	if r.Question != "" {
		lead = append(lead, r.Question)
	}
	t := runTable()
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, cells := range row.cells() {
			add(&t, cells...)
		}
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
	return sheet.Part{Title: r.Scenario, Lead: sheet.Items(append(lead, r.circumstances())...),
		Tables: []sheet.Table{t}, Notes: sheet.Items(notes...)}
}

func (r *Play) circumstances() string {
	parts := []string{"limit " + r.Limit.String(), sheet.Span(r.PlayedUS) + " played"}
	if r.DurationUS > r.PlayedUS {
		parts[1] = fmt.Sprintf("%s of %s played, from %s on", sheet.Span(r.PlayedUS), sheet.Span(r.DurationUS),
			sheet.Span(r.FromUS))
	}
	if len(r.Rows) > 0 {
		o := &r.Rows[0].Open
		parts = append(parts, fmt.Sprintf("%s/s intended, %s/s achieved", sheet.Significant(o.IntendedPerS),
			sheet.Significant(o.AchievedPerS)))
	}
	if word := late[r.OnLate]; word != "" {
		parts = append(parts, "late requests are "+word)
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), "; ")
}

// runColumn is a column of a scenario's table, and what it says of a line.
type runColumn struct {
	sheet.Column
	of func(runLine) string
}

// runLine is a row's line: what was accepted, or what was rejected.
type runLine struct {
	*Limiter
	decision string
	number   int64
	of       *Durations
	first    bool // of the row: it has what is of both decisions together
}

var runColumns = []runColumn{
	{sheet.Column{Name: "decision", Words: true}, func(l runLine) string { return l.decision }},
	{sheet.Column{Name: "number", Leaves: 1}, func(l runLine) string { return sheet.Integer(l.number) }},
	{sheet.Column{Group: "response", Name: "p50"}, func(l runLine) string { return percentile(l.of.Response, 50) }},
	{sheet.Column{Group: "response", Name: "p99"}, func(l runLine) string { return percentile(l.of.Response, 99) }},
	{sheet.Column{Group: "response", Name: "p99.9", Leaves: 3},
		func(l runLine) string { return percentile(l.of.Response, 99.9) }},
	{sheet.Column{Group: "service", Name: "p50", Leaves: 6},
		func(l runLine) string { return percentile(l.of.Service, 50) }},
	{sheet.Column{Group: "service", Name: "p99", Leaves: 5},
		func(l runLine) string { return percentile(l.of.Service, 99) }},
	{sheet.Column{Group: "lag", Name: "p99", Leaves: 7}, func(l runLine) string { return percentile(l.of.Lag, 99) }},
	{sheet.Column{Name: "differs", Leaves: 2}, once((*Limiter).differs)},
	{sheet.Column{Group: "server", Name: "µs"},
		once(func(r *Limiter) string { return optional(r.Open.ServerUSPerCall) })},
	{sheet.Column{Name: "calls", Leaves: 4},
		once(func(r *Limiter) string { return optional(r.Work.RedisCallsPerDecision) })},
	{sheet.Column{Group: "repl.", Name: "bytes", Leaves: 8},
		once(func(r *Limiter) string { return optional(r.Work.ReplicatedPerDecision) })},
	{sheet.Column{Group: "x", Name: "limit"}, once(func(r *Limiter) string {
		if r.Exact == nil {
			return sheet.Absent
		}
		return sheet.Times(r.Exact.Overshoot)
	})},
}

// differs is how many decisions of all rounds are not those of virtual time.
func (r *Limiter) differs() string {
	d := r.Differences()
	if d == nil {
		return sheet.Absent
	}
	return sheet.Integer(d.Differing)
}

// once says something of a row in its first line.
func once(of func(*Limiter) string) func(runLine) string {
	return func(l runLine) string {
		if !l.first {
			return ""
		}
		return of(l.Limiter)
	}
}

func runTable() sheet.Table {
	var columns []sheet.Column
	for _, c := range runColumns {
		columns = append(columns, c.Column)
	}
	return tableOf(columns...)
}

// cells are a row's lines, under its label.
func (r *Limiter) cells() [][]string {
	var all [][]string
	for _, l := range []runLine{
		{Limiter: r, decision: MixAccepted, number: r.Open.Accepted, of: &r.Open.Latency.Accepted},
		{Limiter: r, decision: MixRejected, number: r.Open.Rejected, of: &r.Open.Latency.Rejected},
	} {
		if l.number == 0 && (l.decision == MixRejected || r.Open.Rejected > 0) {
			continue
		}
		l.first = len(all) == 0
		line := []string{""}
		if l.first {
			line[0] = r.Algorithm
		}
		for _, c := range runColumns {
			line = append(line, c.of(l))
		}
		all = append(all, line)
	}
	return all
}
