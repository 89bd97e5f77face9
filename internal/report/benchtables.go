package report

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// late says what on_late does to a request that comes late.
var late = map[string]string{"queue": "queued", "drop": "dropped", "fatal": "fatal"}

// Played is what was measured of a scenario: a line for each limiter.
func Played(d *result.Document, run *result.Run) Part {
	var lead, notes []string
	if run.Question != "" {
		lead = append(lead, run.Question)
	}
	plays := d.Plays(run)
	t := benchTable()
	for _, c := range benchColumns {
		if c.Column.Name != "" {
			t.Columns = append(t.Columns, c.Column)
		}
	}
	for _, p := range plays {
		all := p.Outcomes.Overall()
		f, line := playFigures(&p, &all), []string{p.Algorithm}
		for _, c := range benchColumns {
			if c.Column.Name != "" {
				line = append(line, f.text(&c))
			}
		}
		add(&t, line...)
		notes = append(notes, playNotes(&p)...)
	}
	for _, n := range run.Notes {
		notes = append(notes, "note: "+n)
	}
	return Part{Title: run.Scenario, Lead: Items(append(lead, playLead(run, plays))...), Tables: []Table{t},
		Notes: Items(notes...)}
}

// playNotes are what a limiter must be watched for.
func playNotes(p *result.Play) (notes []string) {
	if p.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d were late and dropped", p.Algorithm, p.Dropped, p.Offered))
	}
	if n := p.Row.KeysWithoutTTL; n != nil && *n > 0 {
		notes = append(notes, fmt.Sprintf("%s leaves %s without a TTL, which stay until somebody deletes them",
			p.Algorithm, message.Count(int(*n), "key")))
	}
	if n := p.Work.Evicted; n != nil && *n > 0 {
		notes = append(notes, fmt.Sprintf("%s: the server evicted %s; its memory is too small", p.Algorithm,
			message.Count(int(*n), "key")))
	}
	return notes
}

// playLead says what is played of a scenario, and how fast.
func playLead(run *result.Run, plays []result.Play) string {
	parts := []string{"limit " + run.Limit.String()}
	if part := run.Played; part != nil {
		text := Span(part.LengthUS) + " played"
		if run.DurationUS > part.LengthUS {
			text = fmt.Sprintf("%s of %s played, from %s on", Span(part.LengthUS), Span(run.DurationUS),
				Span(part.FromUS))
		}
		parts = append(parts, text)
	}
	if len(plays) > 0 {
		parts = append(parts, fmt.Sprintf("%s/s intended, %s/s achieved", Significant(plays[0].IntendedPerS),
			Significant(plays[0].AchievedPerS)))
	}
	if run.Played != nil && late[run.Played.OnLate] != "" {
		parts = append(parts, "late requests are "+late[run.Played.OnLate])
	}
	return strings.Join(append(parts, fmt.Sprintf("seed %d", run.Seed)), "; ")
}

// spread is a group of columns: a figure of each measurement of a part.
type spread struct {
	heading, part, figure string
	at                    []string // which of the part
	leaves                int      // as Column.Leaves
}

// costTable has a line for each limiter.
func costTable(d *result.Document, groups ...spread) Table {
	t := benchTable()
	for _, g := range groups {
		for _, at := range g.at {
			name := strings.TrimSuffix(at, "ed")
			t.Columns = append(t.Columns, Column{Group: g.heading, Name: name, Leaves: g.leaves})
		}
	}
	for i := range d.Costs {
		all, _ := costs(&d.Costs[i], d.Settings.Connections)
		line := []string{d.Costs[i].Algorithm}
		for _, g := range groups {
			c := slices.IndexFunc(benchColumns, func(c benchColumn) bool { return c.name == g.figure })
			for _, at := range g.at {
				m := slices.IndexFunc(all, func(m measurement) bool { return m.part == g.part && m.at == at })
				cell := Absent
				if m >= 0 {
					cell = all[m].figures.text(&benchColumns[c])
				}
				line = append(line, cell)
			}
		}
		add(&t, line...)
	}
	return t
}

// costPart is the closed loop: server time by mix, beside the control's, and how much goes through.
func costPart(d *result.Document) Part {
	lead := fmt.Sprintf("closed loop, %s, %s a round, limit %s, median of %s; half: accepted and rejected in equal "+
		"parts; server µs: per decision, on the server; x none: as a multiple of a script that decides nothing",
		message.Count(d.Settings.Connections, "connection"), Span(d.Settings.SegmentUS), d.Settings.CostLimit,
		message.Count(d.Settings.Rounds, "round"))
	return Part{Title: "What a decision costs", Lead: Items(lead), Tables: []Table{costTable(d,
		spread{"server µs", partClosed, "server_us_per_decision", result.Mixes(), 0},
		spread{"x none", partClosed, "ratio_to_control", result.Mixes(), 1},
		spread{"decisions/s", partClosed, "decisions_per_s", result.Mixes(), 2})}}
}

// sweepPart is throughput against concurrency.
func sweepPart(d *result.Document) Part {
	var at []string
	for _, n := range d.Settings.Sweep {
		at = append(at, Integer(int64(n)))
	}
	t := costTable(d, spread{"connections", partSweep, "decisions_per_s", at, 1})
	t.Columns = append(t.Columns, Numbers("best", "at")...)
	for i := range d.Costs {
		best := result.Level{}
		for _, level := range d.Costs[i].Sweep {
			if level.ThroughputPerS > best.ThroughputPerS {
				best = level
			}
		}
		cells := []string{Absent, Absent}
		if best.ThroughputPerS > 0 {
			cells = []string{Significant(best.ThroughputPerS), Integer(int64(best.Connections))}
		}
		t.Rows[i].Cells = append(t.Rows[i].Cells, Cells(cells...)...)
	}
	lead := Items("closed loop, half accepted, by connections; best: the most of them")
	return Part{Title: "How many decisions per second go through", Lead: lead, Tables: []Table{t}}
}

// memoryPart is what a key takes as it is used, and what the client takes.
func memoryPart(d *result.Document) Part {
	part, fills := Part{Title: "What a key takes"}, fillsIn(d)
	if len(fills) == 0 {
		part.Title = "What a call takes of the client"
	} else {
		part.Lead = Items(fmt.Sprintf("one key under limit %s, requests spread evenly over the window; key "+
			"names are as long for all", d.Settings.FillLimit))
	}
	t := costTable(d, spread{"bytes after requests", partMemory, "bytes_per_key", fills, 0},
		spread{"client", partClosed, "client_allocations_per_call", []string{result.MixHalf}, 0})
	t.Columns[len(fills)+1].Name = "allocations"
	for i := 1; i < len(fills)-1; i++ {
		t.Columns[i+1].Leaves = 1
	}
	part.Tables = []Table{t}
	return part
}

// fillsIn are the numbers of requests that any limiter's memory was measured after, in order.
func fillsIn(d *result.Document) []string {
	var list []int64
	for i := range d.Costs {
		for _, f := range d.Costs[i].Memory {
			list = append(list, f.Entries)
		}
	}
	slices.Sort(list)
	var texts []string
	for _, n := range slices.Compact(list) {
		texts = append(texts, Integer(n))
	}
	return texts
}
