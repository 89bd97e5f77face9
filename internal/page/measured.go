package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// measured has the measurements of a scenario by bench run.
type measured struct {
	Above report.Sheet
	Plots []plot
}

// exactClock is the heading of the figures of virtual time if the scenario was also measured.
const exactClock = "Decided in virtual time: exact"

// offeredLabel is the label of the offered traffic.
const offeredLabel = "offered"

// playOf returns bench's run of the same scenario, or nil.
func playOf(bench *result.Document, r *result.Run) *result.Run {
	return bench.Of(r.Scenario, r.Limit, r.Seed)
}

// newMeasured returns nil if the run's scenario was not measured.
func newMeasured(bench *result.Document, r *result.Run, l *labels) *measured {
	play := playOf(bench, r)
	if play == nil || play.Played == nil {
		return nil
	}
	part := report.Played(bench, play)
	part.Title, part.Lead = "Measured by the wall clock on "+bench.Server.String(), nil
	for i := range l.marked(part.Tables) {
		part.Tables[i].Caption = "What was decided, and how long the answers took, in µs"
	}
	if fault := bench.Fault(); fault != "" {
		part.Lead = append(part.Lead, report.Line{Text: fault, Style: report.Alarm})
	}
	part.Lead = append(part.Lead, report.Line{Text: measuredWords(bench, play), Style: report.Faint})
	m := &measured{Above: report.Sheet{part}}
	if p := curves.NewPlayed(bench, play); p != nil {
		m.Plots = playedPlots(p, l)
	}
	return m
}

// measuredWords describes what was played on which machine, and how reliable the times are.
func measuredWords(bench *result.Document, play *result.Run) string {
	from := ""
	if play.Played.FromUS > 0 {
		from = " from " + span(play.Played.FromUS) + " on"
	}
	return fmt.Sprintf("%s of the scenario%s, on the wall clock of %s, %s. %s. Response is from when a request was "+
		"due to its reply.", span(play.Played.LengthUS), from, bench.Machine.CPU,
		message.Count(bench.Settings.Rounds, "round"), report.NoiseFloor(bench.NoiseFloor))
}

// playedPlots returns the three panels of the picture as charts. Response times have one chart for each outcome.
func playedPlots(p *curves.Played, l *labels) []plot {
	all := []plot{ratePlot(p, l), timelinePlot(p.Window(), l)}
	admitted := func(r *curves.PlayedRow) *curves.Response { return &r.Admitted }
	rejected := func(r *curves.PlayedRow) *curves.Response { return &r.Rejected }
	all = append(all, responsePlots(p, l, "admitted", admitted)...)
	return append(all, responsePlots(p, l, "rejected", rejected)...)
}

// ratePlot shows the offered and admitted rates, and the limit as a rate.
func ratePlot(p *curves.Played, l *labels) plot {
	out := overTime(0, p.FromUS, p.RateUS, p.EndUS)
	out.Kind, out.ValueHead = "played-rate", "highest"
	out.Caption = "Offered and admitted, in " + p.Unit + " per second of one round, the mean of all"
	top := 0.0
	if p.OneKey {
		top = p.LimitPerS()
	}
	for _, row := range p.Rows {
		top = max(top, slices.Max(row.OfferedPerS), slices.Max(row.AdmittedPerS))
	}
	axis := chart.Amounts(top, 30, "")
	out.scale(axis)
	if p.OneKey { // the limit applies per key
		out.Limit = fmt.Sprintf("M0 %sH%s", onPlane(axis, p.LimitPerS()), out.Width)
		out.Level, out.Allowed = "the limit, per second", report.Short(math.Round(10*p.LimitPerS())/10)
	}
	var g group
	add := func(label string, perS []float64) {
		most := math.Round(10*slices.Max(perS)) / 10
		c := curve{Most: report.Short(most), Top: int64(most)}
		c.Path, c.Values = stepsOn(axis, perS, false)
		g.add(l.of(label), c)
	}
	if p.SameOffered() {
		add(offeredLabel, p.Rows[0].OfferedPerS)
	}
	for _, row := range p.Rows {
		add(row.Label, row.AdmittedPerS)
	}
	out.Count = g.rest(l.order)
	out.Curves = g.sorted()
	return out
}

// responsePlots returns the chart of one outcome's response times. It is empty if no interval has enough answers.
func responsePlots(p *curves.Played, l *labels, outcome string, of func(*curves.PlayedRow) *curves.Response) []plot {
	var known []float64
	for i := range p.Rows {
		r := of(&p.Rows[i])
		known = slices.Concat(known, r.P50US, r.P99US)
	}
	known = slices.DeleteFunc(known, func(us float64) bool { return us == 0 })
	if len(known) == 0 {
		return nil
	}
	axis := chart.Logarithmic(slices.Min(known), slices.Max(known), 34, "", report.Natural)
	out := overTime(0, p.FromUS, p.IntervalUS, p.EndUS)
	out.Kind, out.ValueHead, out.BoundHead = "played-"+outcome, "p50", "p99"
	out.Caption = fmt.Sprintf("Response time of what was %s, in µs, logarithmic: p50 where an interval has %d "+
		"answers, p99 (dotted) where it has %d. The key has those of the whole", outcome, curves.LeastForP50,
		curves.LeastForP99)
	out.scale(axis)
	var g group
	for i := range p.Rows {
		r := of(&p.Rows[i])
		c := curve{Most: microseconds(r.WholeP50US), Second: microseconds(r.WholeP99US)}
		c.Path, c.Values = stepsOn(axis, r.P50US, true)
		c.Bound, c.Bounds = stepsOn(axis, r.P99US, true)
		if c.Path != "" {
			g.add(l.of(p.Rows[i].Label), c)
		}
	}
	out.Count = g.rest(l.order)
	out.Curves = g.curves
	return []plot{out}
}

// microseconds formats whole microseconds; 0 means unknown.
func microseconds(us float64) string {
	if us == 0 {
		return "–"
	}
	return message.Grouped(int64(us))
}

// scale marks a vertical axis whose values are not the coordinates of the plane.
func (p *plot) scale(axis chart.Axis) {
	p.High = fmt.Sprint(plane)
	for _, t := range axis.Ticks(plotHeight) {
		at := onPlane(axis, t.Value)
		p.YTicks = append(p.YTicks, tick{percentFrom(1 - axis.Share(t.Value)), t.Label})
		p.Grid += fmt.Sprintf("M0 %sH%s", at, p.Width)
	}
}

// plane is the size of a plot whose coordinates differ from its values. The coordinates are whole numbers, finer than
// any screen.
const plane = 1000

func onPlane(axis chart.Axis, v float64) string {
	return report.Float(math.Round(plane * axis.Share(v)))
}

// stepsOn returns the path of a step chart with a value for each place, and the values as text. With gaps, a value of 0
// is left out.
func stepsOn(axis chart.Axis, values []float64, gaps bool) (path, list string) {
	var out strings.Builder
	var known []string
	before := ""
	for i, v := range values {
		if gaps && v == 0 {
			before = ""
			continue
		}
		at := onPlane(axis, v)
		switch before {
		case at:
		case "":
			fmt.Fprintf(&out, "M%d %s", i, at)
		default:
			out.WriteString("V" + at)
		}
		before = at
		out.WriteString("h1")
		known = append(known, report.Float(math.Round(10*v)/10))
	}
	return out.String(), strings.Join(known, " ")
}
