package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// costPart is the closed loop: server time by mix, beside the control's, and how much goes through.
func costPart(r *result.Benchmark) Part {
	t := benchTable()
	for i, group := range []string{"server µs", "x none", "decisions/s"} {
		for _, mix := range result.Mixes() {
			t.Columns = append(t.Columns, Column{Group: group, Name: strings.TrimSuffix(mix, "ed"), Leaves: i})
		}
	}
	lead := fmt.Sprintf("closed loop, %s, %s a round, limit %s, median of %s; half: accepted and rejected in equal "+
		"parts; server µs: per decision, "+
		"on the server; x none: as a multiple of a script that decides nothing", message.Count(r.Settings.Connections,
		"connection"),
		Span(r.Settings.SegmentUS), r.Settings.CostLimit, message.Count(r.Settings.Rounds, "round"))
	for i := range r.Costs {
		c := &r.Costs[i]
		var server, ratios, throughput []string
		for _, name := range result.Mixes() {
			m := mixOf(c, name)
			if m == nil {
				m = new(result.Mix)
			}
			server, ratios = append(server, optional(m.ServerUSPerCall)), append(ratios, optional(m.RatioToControl))
			throughput = append(throughput, figureOf(m.ThroughputPerS))
		}
		add(&t, slices.Concat([]string{c.Algorithm}, server, ratios, throughput)...)
	}
	return Part{Title: "What a decision costs", Lead: Items(lead), Tables: []Table{t}}
}

// mixOf is the one of this name, or nil.
func mixOf(c *result.Cost, name string) *result.Mix {
	for i := range c.Mixes {
		if c.Mixes[i].Mix == name {
			return &c.Mixes[i]
		}
	}
	return nil
}

// figureOf is the mark of none where nothing was measured.
func figureOf(f float64) string {
	if f == 0 {
		return Absent
	}
	return Significant(f)
}

// sweepPart is throughput against concurrency.
func sweepPart(r *result.Benchmark) Part {
	t := benchTable()
	for _, n := range r.Settings.Sweep {
		t.Columns = append(t.Columns, Column{Group: "connections", Name: strconv.Itoa(n), Leaves: 1})
	}
	t.Columns = append(t.Columns, Numbers("best", "at")...)
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []string{c.Algorithm}
		var best result.Level
		for _, n := range r.Settings.Sweep {
			level := levelAt(c, n)
			row = append(row, figureOf(level.ThroughputPerS))
			if level.ThroughputPerS > best.ThroughputPerS {
				best = level
			}
		}
		add(&t, append(row, figureOf(best.ThroughputPerS), Integer(int64(best.Connections)))...)
	}
	lead := Items("closed loop, half accepted, by connections; best: the most of them")
	return Part{Title: "How many decisions per second go through", Lead: lead, Tables: []Table{t}}
}

// levelAt is the sweep's at so many connections, or an empty one.
func levelAt(c *result.Cost, connections int) result.Level {
	for _, l := range c.Sweep {
		if l.Connections == connections {
			return l
		}
	}
	return result.Level{}
}
