package benchchart

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// page begins a picture of some of the results with the words that all pictures have. The run is nil where the
// picture is of no scenario.
func page(title, subtitle string, of []*benchresult.Document, run *benchresult.Play) chart.Page {
	return chart.Page{Title: title, Subtitle: status(of) + subtitle, Footer: footer(of, run)}
}

// status warns of figures that are not to be trusted, or not complete, ahead of everything else.
func status(of []*benchresult.Document) string {
	var codes []string
	var reasons []benchresult.Reason
	partial := false
	for _, r := range of {
		reasons = append(reasons, r.Validity.Reasons...)
		partial = partial || r.Partial
		if !r.Validity.Valid && len(r.Validity.Reasons) == 0 {
			codes = append(codes, "no reason given")
		}
		for _, reason := range r.Validity.Reasons {
			if !slices.Contains(codes, reason.Code) && !r.Validity.Valid {
				codes = append(codes, reason.Code)
			}
		}
	}
	text := ""
	if len(codes) > 0 {
		text += fmt.Sprintf("INVALID: %s was not fit to measure (%s). ", benchresult.Culprit(reasons),
			strings.Join(codes, ", "))
	}
	if partial {
		text += "PARTIAL: interrupted before its end. "
	}
	return text
}

func footer(of []*benchresult.Document, run *benchresult.Play) string {
	var parts []string
	add := func(part string) {
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if run != nil {
		add(run.Scenario)
		add(fmt.Sprintf("seed %d", run.Seed))
	}
	for _, r := range of {
		add(r.Server.String())
	}
	for _, r := range of {
		add(machine(r.Machine))
	}
	for _, r := range of {
		add(seeds(r, run))
		add("ratelab " + r.Tool.Version)
	}
	for _, r := range of {
		add(r.Started.UTC().Format("2006-01-02"))
	}
	return strings.Join(parts, "  ·  ")
}

func machine(m benchresult.Machine) string {
	if m.CPU == "" {
		return ""
	}
	if m.Cores == 1 {
		return m.CPU + ", 1 core"
	}
	return fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
}

// seeds names the seed of a picture without a scenario, where all scenarios have the same.
func seeds(r *benchresult.Document, run *benchresult.Play) string {
	if run != nil || len(r.Runs) == 0 {
		return ""
	}
	for _, other := range r.Runs {
		if other.Seed != r.Runs[0].Seed {
			return ""
		}
	}
	return fmt.Sprintf("seed %d", r.Runs[0].Seed)
}

// connections says over how many connections the results measured.
func connections(of []*benchresult.Document) string {
	var all []string
	for _, r := range of {
		text := fmt.Sprintf("%d connections", r.Settings.Connections)
		if r.Settings.Connections == 1 {
			text = "1 connection"
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, " and ")
}

// figure puts a legend and what it explains on the page.
func figure(p chart.Page, keys []chart.Key, height float64, draw func(*chart.Pen, chart.Box)) chart.Page {
	legend := chart.LegendHeight(keys)
	p.Height, p.Draw = legend+height, chart.Stacked(legend, chart.Legend(keys), draw)
	return p
}

// us writes µs with at most three digits and a unit: 8.24 µs, 137 µs, 1.2 ms.
func us(v float64) string { return chart.Span(v) }
