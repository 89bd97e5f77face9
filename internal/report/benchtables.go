package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// BenchmarkFormats are the formats of bench run's document.
var BenchmarkFormats = Formats{Sheet: benchSheet, Width: 100, CSV: writeBenchRows, Bench: writeBenchLines,
	Metrics: true}

// benchSheet returns the sheet of a benchmark: the server, a table for each scenario, and how reliable the times are.
func benchSheet(d *result.Document) (s Sheet) {
	opening := fmt.Sprintf("%s, %s; %s", serverWords(&d.Server), message.Count(d.Machine.Cores, "core"),
		message.Count(d.Settings.Rounds, "round"))
	for i := range d.Runs {
		part := Played(d, &d.Runs[i])
		if !d.Validity.Valid {
			part.Notes = nil
		}
		s = append(s, part)
	}
	if len(s) == 1 {
		only := &s[0]
		only.Title, only.Lead[0].Text = "", opening+" of "+only.Lead[0].Text
		only.Notes = append(closing(d), only.Notes...)
		return s
	}
	return slices.Concat(Sheet{{Lead: []Line{{Text: opening}}}}, s, Sheet{{Lead: closing(d)}})
}

// serverWords describes a server: Redis 8.0.3 in a container.
func serverWords(s *result.BenchServer) string {
	where := map[string]string{"container": " in a container", "process": " as a process"}[s.Kind]
	name := message.Visible(s.Name)
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return name + " " + s.Version + where
}

// closing returns lines about how reliable the times are.
func closing(d *result.Document) []Line {
	if lines := warnings(d.Measurement); lines != nil {
		return each(lines, func(w string) Line { return Line{Text: w, Style: Alarm} })
	}
	return []Line{{Text: NoiseFloor(d.NoiseFloor) + "."}}
}

// NoiseFloor returns a sentence about the smallest difference between two times that means something.
func NoiseFloor(n result.NoiseFloor) string {
	if n.Pairs == 0 {
		return "The same code was measured once: how much a difference means is unknown"
	}
	most := n.Most()
	text := fmt.Sprintf("%.0f %%", math.Ceil(100*(most-1)-1e-9))
	if most >= 2 {
		text = "a factor of " + Significant(most)
	}
	return "The same code measured twice differs by up to " + text + ": a smaller difference says nothing"
}

// warnings returns lines about unreliable figures, because of a disturbed machine, and about incomplete figures,
// because of an interrupt.
func warnings(h *result.Measurement) []string {
	var lines []string
	if fault := h.Fault(); fault != "" {
		lines = append(lines, fault+" (exit 4)", result.Remedy)
	}
	if h.Partial {
		lines = append(lines, "PARTIAL: interrupted; the figures are of the rounds that were finished")
	}
	return lines
}

// Played returns the measurements of a scenario: a line for each limiter.
func Played(d *result.Document, run *result.Run) Part {
	plays := d.Plays(run)
	t := Table{Columns: []Column{{Name: "limiter", Words: true, Narrowest: 16}}}
	shown := slices.DeleteFunc(slices.Clone(benchColumns), func(c benchColumn) bool {
		saturated := slices.ContainsFunc(plays, func(p result.Play) bool { return p.MaxPerS != nil })
		return c.table == "" || c.name == maxPerS && !saturated
	})
	for _, c := range shown {
		if c.name == serverUS {
			c.table += atRate(run, plays)
		}
		t.Columns = append(t.Columns, Column{Name: c.table})
	}
	notes := []string{dearest(plays, d.NoiseFloor)}
	for _, p := range plays {
		all := p.Outcomes.Overall()
		f, line := playFigures(&p, &all), []string{p.Algorithm}
		for _, c := range shown {
			line = append(line, f.text(c.name, c.read, Absent))
		}
		t.Rows = append(t.Rows, TableRow{Cells: Cells(line...)})
		if p.Dropped > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d of %d requests were late and dropped.", p.Algorithm, p.Dropped,
				p.Offered))
		}
	}
	return Part{Title: run.Scenario, Lead: Items(playLead(run, plays)), Tables: []Table{t},
		Notes: Items(filled(append(notes, run.Notes...))...)}
}

// playLead describes the part of a scenario that was played.
func playLead(run *result.Run, plays []result.Play) string {
	var text string
	if len(plays) > 0 {
		n := plays[0].Offered / int64(max(1, len(plays[0].Rounds)))
		text = message.Count(int(n), "request") + " in "
	}
	if part := run.Played; part != nil {
		text += Span(part.LengthUS)
		if run.DurationUS > part.LengthUS {
			text += fmt.Sprintf(" of %s, from %s on", Span(run.DurationUS), Span(part.FromUS))
		}
	}
	return text + "; limit " + run.Limit.String()
}

// atRate returns the rate at which plays were measured. If clients react, the rate differs between limiters.
func atRate(run *result.Run, plays []result.Play) string {
	if run.Played == nil || len(plays) == 0 {
		return ""
	}
	perS := each(plays, func(p result.Play) float64 {
		return float64(p.Offered) / float64(max(1, len(p.Rounds))) / float64(run.Played.LengthUS) * 1e6
	})
	text, most := wholly(math.Round(slices.Min(perS))), wholly(math.Round(slices.Max(perS)))
	if text != most {
		text += " to " + most
	}
	return "\nat " + text + "/s"
}

// dearest returns whether the limiters or the round trip to the server cost more at this rate. It returns "" if the
// difference is within the noise.
func dearest(plays []result.Play, noise result.NoiseFloor) string {
	var roundTrip float64
	most, name := 0.0, ""
	for _, p := range plays {
		all := p.Outcomes.Overall()
		switch {
		case algorithms.IsFloor(p.Algorithm) && all.Service.Count() >= leastSamples:
			roundTrip = float64(all.Service.ValueAtPercentile(50))
		case p.ServerUSPerCall != nil && *p.ServerUSPerCall > most:
			most, name = *p.ServerUSPerCall, p.Algorithm
		}
	}
	switch {
	case roundTrip == 0 || name == "" || noise.Pairs == 0:
	case most*noise.Most() < roundTrip:
		return "At this rate the round trip costs more than any of these rules."
	case most > roundTrip*noise.Most():
		return fmt.Sprintf("At this rate %s costs more than the round trip.", name)
	}
	return ""
}
