package benchchart

import (
	"fmt"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/sheet"
)

const admittedLatency = "admitted-latency"

// PlayedName is that of the files of a scenario's picture where there is one result, without their extensions.
func PlayedName(scenario string) string { return scenario + "." + admittedLatency }

// played is the picture that answers both questions at once, on one axis of time: what was let through, and how long
// the answers took.
//
// Note: that of the response times alone hid what was offered behind them, without a scale; and that of the cost under
// a scenario's traffic against the overshoot compared costs at a few hundred requests a second, where caches are cold
// and the control is dearer than a limiter. What a decision costs says server-cost, with its noise.
func (s *scene) played(i int, run *benchresult.Play) (chart.Picture, bool) {
	name := s.latencyName(i, run, admittedLatency)
	p := curves.NewPlayed(run)
	if p == nil {
		s.leave(name, "nothing was played, or the result does not say how it went over time")
		return chart.Picture{}, false
	}
	d := newPlayedDrawing(p)
	stacks := chart.Stacks{Horizontal: chart.TimeBetween(float64(p.FromUS), float64(p.EndUS), 40),
		Strips: d.strips()}
	for _, row := range p.Rows {
		head := chart.Panel{Label: row.Label, Color: chart.Color(row.Label), Fact: row.Fact}
		stacks.Heads = append(stacks.Heads, head)
	}
	of := s.results[i : i+1]
	words := page(playedTitle(run), playedSubtitle(run, of), of, run)
	words.Footer += "  ·  " + trust(of[0], len(run.Rows[0].Rounds))
	words = figure(words, d.keys(), stacks.Height(), stacks.Draw)
	return chart.Picture{Name: name, Page: words, Data: s.playedData(i, run)}, true
}

func playedTitle(run *benchresult.Play) string {
	if run.Question == "" {
		return "What was let through, and how long did the answers take?"
	}
	return run.Question
}

func playedSubtitle(run *benchresult.Play, of []*benchresult.Document) string {
	server := of[0].Server
	return fmt.Sprintf("%s, played on %s over %s. Limit %s. Above: requests per second, of one round; in the middle: "+
		"the most that is known to have been let through for one key in the last %s; below: response time from when "+
		"a request was due, p50 where an interval has %d answers and p99 where it has %d.", run.Scenario,
		strings.TrimSpace(server.Name+" "+server.Version), connections(of), policy(run.Limit),
		chart.Each(float64(run.Limit.WindowUS)), curves.LeastForP50, curves.LeastForP99)
}

// trust says how far the times can be relied on.
func trust(r *benchresult.Document, rounds int) string {
	parts := []string{fmt.Sprintf("%d rounds", rounds), "noise floor unknown"}
	if rounds == 1 {
		parts[0] = "1 round"
	}
	if r.NoiseFloor.Pairs > 0 {
		parts[1] = "the same code again: up to " + sheet.Above(r.NoiseFloor.ClientP50US) + " in the client's median"
	}
	if r.Validity.Valid {
		parts = append(parts, "valid")
	} else {
		parts = append(parts, "INVALID")
	}
	return strings.Join(parts, "  ·  ")
}

// playedData has a line for each bucket of what was let through, sums of all rounds and the most of any in the window,
// and one for each interval of the response times. It keeps the control, and percentiles of few answers, with their
// number.
func (s *scene) playedData(i int, run *benchresult.Play) []byte {
	t := newTable("server", "algorithm", "rounds", "start_us", "width_us", "offered", "admitted", "rolling",
		"accepted", "accepted_response_us_p50", "accepted_response_us_p99",
		"rejected", "rejected_response_us_p50", "rejected_response_us_p99")
	for r := range run.Rows {
		row := &run.Rows[r]
		line := func(startUS, widthUS int64, cells ...any) {
			t.add(append([]any{s.names[i], row.Algorithm, len(row.Rounds), run.FromUS + startUS, widthUS}, cells...)...)
		}
		if c := row.Course; c != nil {
			for k, offered := range c.Offered {
				line(int64(k)*c.BucketUS, c.BucketUS, offered, at(c.Admitted, k), at(c.Rolling, k),
					"", "", "", "", "", "")
			}
		}
		for _, interval := range row.Open.Intervals {
			cells := append([]any{"", "", ""}, responseCells(interval.Accepted)...)
			line(interval.StartUS, interval.WidthUS, append(cells, responseCells(interval.Rejected)...)...)
		}
	}
	return t.bytes()
}

// at is a value, and 0 beyond the end.
func at(values []int64, i int) int64 {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// responseCells are how many answers there were, and how long they took.
func responseCells(h *benchresult.Histogram) []any {
	n := h.Count()
	if n == 0 {
		return []any{n, "", ""}
	}
	return []any{n, h.ValueAtPercentile(50), h.ValueAtPercentile(99)}
}
