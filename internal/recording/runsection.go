package recording

import (
	"fmt"
	"strings"
)

// late says what on_late does to a request that comes late.
var late = map[string]string{"queue": "queued", "drop": "dropped", "fatal": "fatal"}

// section is a scenario: a line for each algorithm's admissions and one for its rejections.
func (r *Run) section() section {
	s := section{title: r.Scenario, grid: grid{columns: runColumns()}}
	if r.Question != "" {
		s.lines = append(s.lines, r.Question)
	}
	s.lines = append(s.lines, r.circumstances())
	for i := range r.Rows {
		row := &r.Rows[i]
		s.grid.rows = append(s.grid.rows, row.cells()...)
		if row.Open.Dropped > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: %d of %d were late and dropped", row.Algorithm, row.Open.Dropped, row.Open.Offered))
		}
		if n := row.Work.KeysLeftWithoutTTL; n != nil && *n > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s leaves %s without a TTL, which stay until somebody deletes them", row.Algorithm, plural(int(*n), "key")))
		}
		if n := row.Work.Evicted; n != nil && *n > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: the server evicted %s; its memory is too small", row.Algorithm, plural(int(*n), "key")))
		}
	}
	for _, n := range r.Notes {
		s.notes = append(s.notes, "note: "+n)
	}
	return s
}

func (r *Run) circumstances() string {
	parts := []string{"limit " + r.Limit.String(), duration(r.PlayedUS) + " played"}
	if r.DurationUS > r.PlayedUS {
		parts[1] = fmt.Sprintf("%s of %s played", duration(r.PlayedUS), duration(r.DurationUS))
	}
	if len(r.Rows) > 0 {
		o := &r.Rows[0].Open
		parts = append(parts, fmt.Sprintf("%s/s intended, %s/s achieved", figure(o.IntendedPerS), figure(o.AchievedPerS)))
	}
	if word := late[r.OnLate]; word != "" {
		parts = append(parts, "late requests are "+word)
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", r.Seed)), "; ")
}

func runColumns() []column {
	return []column{
		{name: "algorithm", text: true}, {name: "decision", text: true}, {name: "number"},
		{group: "response", name: "p50"}, {group: "response", name: "p99"}, {group: "response", name: "p99.9"},
		{group: "service", name: "p50"}, {group: "service", name: "p99"},
		{group: "lag", name: "p99"}, {group: "server", name: "µs"}, {group: "", name: "calls"}, {group: "x", name: "limit"},
	}
}

// cells are a row's lines. What is of both decisions together stands in the first.
func (r *Row) cells() [][]string {
	exact := absent
	if r.Exact != nil {
		exact = overshoot(r.Exact.Overshoot)
	}
	both := []string{optional(r.Open.ServerUSPerCall), optional(r.Work.RedisCallsPerDecision), exact}
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
		line := []string{label, part.decision, integer(part.number),
			percentile(d.Response, 50), percentile(d.Response, 99), percentile(d.Response, 99.9),
			percentile(d.Service, 50), percentile(d.Service, 99), percentile(d.Lag, 99)}
		lines = append(lines, append(line, both...))
		label, both = "", []string{"", "", ""}
	}
	return lines
}

// overshoot never rounds an overshoot away: 1.0004 is >1.00, not 1.00.
func overshoot(f float64) string {
	text := fmt.Sprintf("%.2f", f)
	if f > 1 && text == "1.00" {
		return ">1.00"
	}
	return text
}
