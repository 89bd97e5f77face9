package recording

import (
	"fmt"
	"strconv"
	"strings"
)

// costSection is the closed loop: server time by mix, beside the control's, and how much goes through.
func (r *Recording) costSection() section {
	s := section{
		title: "What a decision costs",
		lines: []string{fmt.Sprintf("closed loop, %s, %s a round, limit %s, median of %s; half: accepted and rejected in equal parts; server µs: per decision, "+
			"on the server; x none: as a multiple of a script that decides nothing", plural(r.Settings.Connections, "connection"),
			duration(r.Settings.SegmentUS), r.Settings.CostLimit, plural(r.Settings.Rounds, "round"))},
	}
	s.grid.columns = []column{{name: "algorithm", text: true}}
	for _, group := range []string{"server µs", "x none", "decisions/s"} {
		for _, mix := range Mixes() {
			s.grid.columns = append(s.grid.columns, column{group: group, name: strings.TrimSuffix(mix, "ed")})
		}
	}
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
		row := append([]string{c.Algorithm}, server...)
		s.grid.rows = append(s.grid.rows, append(append(row, ratios...), throughput...))
	}
	return s
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
		return absent
	}
	return figure(f)
}

// sweepSection is throughput against concurrency.
func (r *Recording) sweepSection() section {
	s := section{title: "How many decisions per second go through", lines: []string{"closed loop, half accepted, by connections; best: the most of them"}}
	s.grid.columns = []column{{name: "algorithm", text: true}}
	for _, n := range r.Settings.Sweep {
		s.grid.columns = append(s.grid.columns, column{group: "connections", name: strconv.Itoa(n)})
	}
	s.grid.columns = append(s.grid.columns, column{name: "best"}, column{name: "at"})
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
		s.grid.rows = append(s.grid.rows, append(row, figureOf(best.ThroughputPerS), integer(int64(best.Connections))))
	}
	return s
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
