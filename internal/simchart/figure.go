package simchart

import (
	"fmt"
	"slices"
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
	from       int64  // of a time axis, µs
	horizontal chart.Axis
	vertical   chart.Axis // counts from 0 to the highest, where it is not set
	draw       func(axes, curves.Curve)
}

// picture is the figure laid out on a page, named after the scenario too.
func (f figure) picture() chart.Picture {
	panels := f.panels()
	_, height := chart.GridOf(len(panels))
	vertical := f.vertical
	if vertical.Share == nil {
		vertical = chart.Counts(float64(f.highest()), height, f.unit)
	}
	m := chart.Multiples{Panels: panels, Horizontal: f.horizontal, Vertical: vertical}
	page := chart.Page{Title: f.title(), Subtitle: f.fullSubtitle(), Footer: f.footer(), Height: m.Height(),
		Draw: m.Draw}
	return chart.Picture{Name: f.in.Run.Scenario + "." + f.name, Page: page, Data: f.chart.CSV()}
}

// overTime is a figure of the timeline, which says what its axis leaves out.
func overTime(in curves.Input, t curves.Timeline, unit, subtitle string) figure {
	if t.Silence != "" {
		subtitle += " " + t.Silence + "."
	}
	return figure{in: in, chart: t.Chart, name: t.Name, unit: unit, subtitle: subtitle, from: t.FromUS,
		horizontal: chart.Time(float64(t.FromUS), float64(t.EndUS))}
}

func (f figure) panels() []chart.Panel {
	var all []chart.Panel
	for i, c := range f.chart.Shown() {
		color := chart.Color(c.Label)
		cut := clamped(c, f.highest())
		draw := func(a *chart.Axes) { f.draw(axes{a, color, i == 0, f.highest(), f.from}, cut) }
		all = append(all, chart.Panel{Label: c.Label, Color: color, Fact: c.Fact, Draw: draw})
	}
	return all
}

// dwarfing is how many times as high as the next one a curve may be that sets the scale of all.
const dwarfing = 3

// highest is where the scale of all panels ends: at the highest of what they show, unless that is one row's or the
// offered, and dwarfs what all others show. Then it is cut off.
func (f figure) highest() int64 {
	top, seen, next := f.top, f.top, f.top
	for _, c := range f.chart.Shown() {
		own := c.Top
		if c.Offered != nil {
			own = slices.Max(c.Values)
			top = max(top, c.Top)
		}
		seen, next = max(seen, own), max(next, min(seen, own))
	}
	top = max(top, seen)
	switch {
	case next > 0 && seen > dwarfing*next:
		return next + next/2
	case seen > 0 && top > dwarfing*seen:
		return seen + seen/2
	}
	return top
}

// clamped is c with nothing above the top.
func clamped(c curves.Curve, top int64) curves.Curve {
	clamp := func(values []int64) []int64 {
		if len(values) == 0 || slices.Max(values) <= top {
			return values
		}
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = min(v, top)
		}
		return values
	}
	c.Values, c.Offered = clamp(c.Values), clamp(c.Offered)
	return c
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
