package benchresult

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// costSection is the closed loop: server time by mix, beside the control's, and how much goes through.
func (r *Document) costPart() sheet.Part {
	t := tableOf()
	for i, group := range []string{"server µs", "x none", "decisions/s"} {
		for _, mix := range Mixes() {
			t.Columns = append(t.Columns, sheet.Column{Group: group, Name: strings.TrimSuffix(mix, "ed"), Leaves: i})
		}
	}
	lead := fmt.Sprintf("closed loop, %s, %s a round, limit %s, median of %s; half: accepted and rejected in equal "+
		"parts; server µs: per decision, "+
		"on the server; x none: as a multiple of a script that decides nothing", message.Count(r.Settings.Connections,
		"connection"),
		sheet.Span(r.Settings.SegmentUS), r.Settings.CostLimit, message.Count(r.Settings.Rounds, "round"))
	for i := range r.Costs {
		c := &r.Costs[i]
		var server, ratios, throughput []string
		for _, name := range Mixes() {
			m := c.mix(name)
			if m == nil {
				m = new(Mix)
			}
			server, ratios = append(server, optional(m.ServerUSPerCall)), append(ratios, optional(m.RatioToControl))
			throughput = append(throughput, figureOf(m.ThroughputPerS))
		}
		add(&t, slices.Concat([]string{c.Algorithm}, server, ratios, throughput)...)
	}
	return sheet.Part{Title: "What a decision costs", Lead: sheet.Items(lead), Tables: []sheet.Table{t}}
}

// mix is the one of this name, or nil.
func (c *Cost) mix(name string) *Mix {
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
		return sheet.Absent
	}
	return sheet.Significant(f)
}

// sweepSection is throughput against concurrency.
func (r *Document) sweepPart() sheet.Part {
	t := tableOf()
	for _, n := range r.Settings.Sweep {
		t.Columns = append(t.Columns, sheet.Column{Group: "connections", Name: strconv.Itoa(n), Leaves: 1})
	}
	t.Columns = append(t.Columns, sheet.Numbers("best", "at")...)
	for i := range r.Costs {
		c := &r.Costs[i]
		row := []string{c.Algorithm}
		var best Level
		for _, n := range r.Settings.Sweep {
			level := c.level(n)
			row = append(row, figureOf(level.ThroughputPerS))
			if level.ThroughputPerS > best.ThroughputPerS {
				best = level
			}
		}
		add(&t, append(row, figureOf(best.ThroughputPerS), sheet.Integer(int64(best.Connections)))...)
	}
	lead := sheet.Items("closed loop, half accepted, by connections; best: the most of them")
	return sheet.Part{Title: "How many decisions per second go through", Lead: lead, Tables: []sheet.Table{t}}
}

// level is the sweep's at so many connections, or an empty one.
func (c *Cost) level(connections int) Level {
	for _, l := range c.Sweep {
		if l.Connections == connections {
			return l
		}
	}
	return Level{}
}
