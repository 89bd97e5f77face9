package simchart

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// figure is one picture before it is drawn.
type figure struct {
	name       string // of the file, after the scenario's
	title      string
	subtitle   string
	unit       string // of the y axis
	footer     string
	top        float64     // the greatest value to show
	spanUS     float64     // the time axis ends here
	horizontal *chart.Axis // instead of the time axis, where it is another
	panels     []chart.Panel
	data       []byte // CSV
}

// picture is the figure laid out on a page, named after the scenario too.
func (f *figure) picture(scenario string) chart.Picture {
	_, height := chart.GridOf(len(f.panels))
	horizontal := chart.Time(f.spanUS)
	if f.horizontal != nil {
		horizontal = *f.horizontal
	}
	m := chart.Multiples{Panels: f.panels, Horizontal: horizontal, Vertical: chart.Counts(f.top, height, f.unit)}
	page := chart.Page{Title: f.title, Subtitle: f.subtitle, Footer: f.footer, Height: m.Height(), Draw: m.Draw}
	return chart.Picture{Name: scenario + "." + f.name, Page: page, Data: f.data}
}

// course is an algorithm's way through the scenario, in bins.
type course struct {
	label      string
	color      color.NRGBA
	offered    []float64 // in each wide bin
	rate       []float64 // admitted in each wide bin
	admitted   []float64 // admitted in each bin
	rolling    []float64 // the highest window sum within each bin
	offeredSum int64     // offered in all
	total      int64
	peak       int64
}

// scene is what the figures share.
type scene struct {
	in        Input
	unit      string  // requests, or permits where costs are not all 1
	binUS     float64 // of the sums
	rateBinUS float64 // of what was offered and admitted
	spanUS    float64
	reference course
	courses   []course // without none
}

func figures(in Input) []*figure {
	s := newScene(in)
	all := []*figure{s.admittedFigure(), s.windowFigure(), s.cumulativeFigure()}
	if s.hasTimescales() {
		all = append(all, s.timescaleFigure())
	}
	return all
}

func pictures(in Input) []chart.Picture {
	var all []chart.Picture
	for _, f := range figures(in) {
		all = append(all, f.picture(in.Run.Scenario))
	}
	return all
}

func newScene(in Input) *scene {
	buckets, width := len(in.Traffic.Offered), in.Traffic.BucketUS
	shown := slices.DeleteFunc(slices.Clone(in.Algorithms), func(p Panel) bool {
		return p.Label == "none" && len(in.Algorithms) > 1
	})
	columns, _ := chart.GridOf(len(shown))
	k, wide := joinFactor(buckets, width, maxBins(columns)), joinFactor(buckets, width, maxRateBins)
	s := &scene{in: in, unit: unitOf(in.Run), spanUS: float64(width) * float64(buckets)}
	s.binUS, s.rateBinUS = float64(width)*float64(k), float64(width)*float64(wide)
	if d := float64(in.Run.DurationUS); d > s.spanUS-float64(width) && d < s.spanUS {
		s.spanUS = d // the last bucket reaches beyond the scenario's end
	}
	s.reference = newCourse(Panel{Label: report.ReferenceLabel, Series: in.Reference}, in.Traffic, k, wide)
	for _, p := range shown {
		s.courses = append(s.courses, newCourse(p, in.Traffic, k, wide))
	}
	return s
}

// newCourse is of a panel that was offered the traffic, unless it has its own.
func newCourse(p Panel, traffic measure.Traffic, k, wide int) course {
	if p.Traffic != nil {
		traffic = *p.Traffic
	}
	c := course{label: p.Label, color: chart.Color(p.Label)}
	c.rate, c.admitted, c.rolling = joinSum(p.Series.Admitted, wide), joinSum(p.Series.Admitted, k), joinMax(p.Series.Rolling, k)
	c.offered = joinSum(traffic.Offered, wide)
	for i := range p.Series.Admitted {
		c.offeredSum += traffic.Offered[i]
		c.total += p.Series.Admitted[i]
		c.peak = max(c.peak, p.Series.Rolling[i])
	}
	return c
}

// unitOf names what the series count: permits, which are requests where each costs one.
func unitOf(run *report.Run) string {
	if run.HasCosts() {
		return "permits"
	}
	return "requests"
}

// figure begins a figure with what all have.
func (s *scene) figure(name, subtitle, unit string) *figure {
	title := s.in.Run.Question
	if title == "" {
		title = s.in.Run.Scenario
	}
	if s.in.Run.Partial {
		subtitle = "PARTIAL: interrupted before its end. " + subtitle
	}
	return &figure{name: name, title: title, subtitle: subtitle, unit: unit, footer: s.footer(), spanUS: s.spanUS}
}

func (s *scene) footer() string {
	parts := []string{s.in.Run.Scenario, fmt.Sprintf("seed %d", s.in.Run.Seed), s.in.Run.Server.String()}
	if s.in.Run.Clock == "real" {
		parts = append(parts, "real time")
	}
	if s.in.Version != "" {
		parts = append(parts, "ratelab "+s.in.Version)
	}
	return strings.Join(parts, "  ·  ")
}

// policy is the limit in words: 1,000 per 3 s, burst 100.
func (s *scene) policy() string {
	l := s.in.Run.Limit
	text := fmt.Sprintf("%s per %s", chart.Exact(l.Requests), s.window())
	if l.Burst != 0 && l.Burst != l.Requests {
		text += ", burst " + chart.Exact(l.Burst)
	}
	return text
}

func (s *scene) window() string { return chart.Each(float64(s.in.Run.Limit.WindowUS)) }

// columns are those of every CSV: what was offered, each algorithm, the reference; get picks the measure.
func (s *scene) columns(offered []int64, get func(Panel) []int64) []dataColumn {
	columns := []dataColumn{{"offered", offered}}
	for _, p := range s.in.Algorithms {
		columns = append(columns, dataColumn{p.Label, get(p)})
	}
	return append(columns, dataColumn{"reference", get(Panel{Series: s.in.Reference})})
}
