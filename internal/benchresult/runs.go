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
			notes = append(notes, fmt.Sprintf("%s: %d of %d were late and dropped", row.Algorithm, row.Open.Dropped, row.Open.Offered))
		}
		if n := row.Work.KeysLeftWithoutTTL; n != nil && *n > 0 {
			notes = append(notes, fmt.Sprintf("%s leaves %s without a TTL, which stay until somebody deletes them", row.Algorithm, message.Count(int(*n), "key")))
		}
		if n := row.Work.Evicted; n != nil && *n > 0 {
			notes = append(notes, fmt.Sprintf("%s: the server evicted %s; its memory is too small", row.Algorithm, message.Count(int(*n), "key")))
		}
	}
	for _, n := range r.Notes {
		notes = append(notes, "note: "+n)
	}
	return sheet.Part{Title: r.Scenario, Lead: sheet.Items(append(lead, r.circumstances())...), Tables: []sheet.Table{t}, Notes: sheet.Items(notes...)}
}

func (r *Play) circumstances() string {
	parts := []string{"limit " + r.Limit.String(), sheet.Span(r.PlayedUS) + " played"}
	if r.DurationUS > r.PlayedUS {
		parts[1] = fmt.Sprintf("%s of %s played", sheet.Span(r.PlayedUS), sheet.Span(r.DurationUS))
	}
	if len(r.Rows) > 0 {
		o := &r.Rows[0].Open
		parts = append(parts, fmt.Sprintf("%s/s intended, %s/s achieved", sheet.Significant(o.IntendedPerS), sheet.Significant(o.AchievedPerS)))
	}
	if word := late[r.OnLate]; word != "" {
		parts = append(parts, "late requests are "+word)
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), "; ")
}

func runTable() sheet.Table {
	return tableOf([]sheet.Column{
		{Name: "decision", Words: true}, {Name: "number", Leaves: 1},
		{Group: "response", Name: "p50"}, {Group: "response", Name: "p99"}, {Group: "response", Name: "p99.9", Leaves: 2},
		{Group: "service", Name: "p50", Leaves: 5}, {Group: "service", Name: "p99", Leaves: 4},
		{Group: "lag", Name: "p99", Leaves: 6}, {Group: "server", Name: "µs"}, {Name: "calls", Leaves: 3}, {Group: "x", Name: "limit"},
	}...)
}

// cells are a row's lines. What is of both decisions together stands in the first.
func (r *Limiter) cells() [][]string {
	virtual := sheet.Absent
	if r.Exact != nil {
		virtual = sheet.Times(r.Exact.Overshoot)
	}
	both := []string{optional(r.Open.ServerUSPerCall), optional(r.Work.RedisCallsPerDecision), virtual}
	label := r.Algorithm
	var lines [][]string
	for _, part := range []struct {
		decision string
		number   int64
		of       *Durations
	}{{MixAccepted, r.Open.Accepted, &r.Open.Latency.Accepted}, {MixRejected, r.Open.Rejected, &r.Open.Latency.Rejected}} {
		if part.number == 0 && (part.decision == MixRejected || r.Open.Rejected > 0) {
			continue
		}
		d := part.of
		line := []string{label, part.decision, sheet.Integer(part.number),
			percentile(d.Response, 50), percentile(d.Response, 99), percentile(d.Response, 99.9),
			percentile(d.Service, 50), percentile(d.Service, 99), percentile(d.Lag, 99)}
		lines = append(lines, append(line, both...))
		label, both = "", []string{"", "", ""}
	}
	return lines
}
