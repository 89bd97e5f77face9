package simchart

import (
	"fmt"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// figure is one picture before it is drawn.
type figure struct {
	in         curves.Input
	chart      curves.Chart
	name       string // of the file, after the scenario's
	subtitle   string // the limit follows
	unit       string // of the y axis
	top        int64  // the greatest value to show besides the curves' own
	horizontal chart.Axis
	draw       func(axes, curves.Curve)
}

// picture is the figure laid out on a page, named after the scenario too.
func (f figure) picture() chart.Picture {
	panels := f.panels()
	_, height := chart.GridOf(len(panels))
	vertical := chart.Counts(float64(f.highest()), height, f.unit)
	m := chart.Multiples{Panels: panels, Horizontal: f.horizontal, Vertical: vertical}
	page := chart.Page{Title: f.title(), Subtitle: f.fullSubtitle(), Footer: f.footer(), Height: m.Height(),
		Draw: m.Draw}
	return chart.Picture{Name: f.in.Run.Scenario + "." + f.name, Page: page, Data: f.chart.CSV()}
}

func (f figure) panels() []chart.Panel {
	var all []chart.Panel
	for i, c := range f.chart.Shown() {
		color := chart.Color(c.Label)
		draw := func(a *chart.Axes) { f.draw(axes{a, color, i == 0}, c) }
		all = append(all, chart.Panel{Label: c.Label, Color: color, Fact: c.Fact, Draw: draw})
	}
	return all
}

func (f figure) highest() int64 {
	top := f.top
	for _, c := range f.chart.Shown() {
		top = max(top, c.Top)
	}
	return top
}

func (f figure) title() string {
	if f.in.Run.Question == "" {
		return f.in.Run.Scenario
	}
	return f.in.Run.Question
}

// fullSubtitle is the subtitle with what all have: the limit in words, as in 1,000 per 3 s, burst 100.
func (f figure) fullSubtitle() string {
	l := f.chart.Limit
	text := fmt.Sprintf("%s Limit %s per %s", f.subtitle, chart.Exact(l.Requests), window(f.chart))
	if l.Burst != 0 && l.Burst != l.Requests {
		text += ", burst " + chart.Exact(l.Burst)
	}
	if f.in.Run.Partial {
		text = "PARTIAL: interrupted before its end. " + text
	}
	return text + "."
}

func window(c curves.Chart) string { return chart.Each(float64(c.Limit.WindowUS)) }

func (f figure) footer() string {
	run := f.in.Run
	parts := []string{run.Scenario, fmt.Sprintf("seed %d", run.Seed), run.Server.String()}
	if run.Clock == "real" {
		parts = append(parts, "real time")
	}
	if f.in.Version != "" {
		parts = append(parts, "ratelab "+f.in.Version)
	}
	return strings.Join(parts, "  ·  ")
}
