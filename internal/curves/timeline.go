package curves

import (
	"slices"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Drawing is the way in which a chart over time is drawn.
type Drawing int

// The drawings.
const (
	Flow  Drawing = iota // the offered and the admitted cost in each bin; the page has no room for it
	Level                // a height at each moment, and the limit
	Sum                  // a total, and the total of the exact reference
	Wait                 // a height at each moment
)

// overTime lists the charts over time in their order. A chart without curves is left out.
var overTime = []struct {
	name    string
	drawing Drawing
	of      func(span) Timeline
}{
	{"admitted", Flow, span.admitted},
	{"window", Level, span.window}, // shows whether the limit held
	{"cumulative", Sum, span.cumulative},
	{"delay", Wait, span.delay},
}

// Timeline is a chart over time, in bins of equal width from the scenario's start.
type Timeline struct {
	Chart
	Name      string
	Drawing   Drawing
	Reference *Curve // of the exact limiter; nil if there is no reference
	OriginUS  int64  // in a log with dates, the time of 0 on the axis, since 1970
	FromUS    int64  // the start of the time axis and of the first bin
	BinUS     int64
	EndUS     int64  // the end of the time axis; the last bin may extend beyond it
	Silence   string // a sentence about the part of the scenario that the axis leaves out; may be empty
}

// Timelines returns the charts over time of a run.
func Timelines(in Input) []Timeline {
	var all []Timeline
	s := in.drawn()
	for _, d := range overTime {
		spans, names := []span{s}, []string{d.name}
		if d.drawing == Level && in.Run.Limits != nil {
			spans, names = s.byLimit(d.name)
		}
		for i, s := range spans {
			t := d.of(s)
			t.Name, t.Drawing, t.Silence, t.OriginUS = names[i], d.drawing, s.silence(t), in.Run.FirstUS
			if len(t.Curves) > 0 {
				all = append(all, t)
			}
		}
	}
	return all
}

// mostWindows is the most limits that have a chart of their own.
const mostWindows = 4

// byLimit returns the run as each of several limits sees it, and the names of their charts.
func (s span) byLimit(name string) (all []span, names []string) {
	for i, l := range s.Run.Limits[:min(len(s.Run.Limits), mostWindows)] {
		one, run := s, *s.Run
		run.Limit, run.Results = l.Limit, slices.Clone(run.Results)
		one.Run, one.Algorithms = &run, slices.Clone(s.Algorithms)
		one.counts = l.Counts
		for j := range one.Algorithms {
			one.Algorithms[j].Series = s.Algorithms[j].Limits[i]
			run.Results[j].XLimit = run.Results[j].Several.Limits[i].XLimit
		}
		if s.Reference != nil {
			one.Reference = &s.ReferenceLimits[i]
		}
		all, names = append(all, one), append(names, name+"-"+l.Name)
	}
	return all, names
}

// span is a run and the range of its drawn buckets: from is inclusive, to is exclusive.
type span struct {
	Input
	from, to int
	counts   string // what the limit of the chart counts; "": the cost
}

// reference returns the exact limiter as a row, or an empty list.
func (in Input) reference() []Limiter {
	if in.Reference == nil {
		return nil
	}
	return []Limiter{{Label: result.ReferenceLabel, Series: *in.Reference}}
}

// offered returns the cost offered to a row, in the buckets of the traffic.
func (in Input) offered(l Limiter) []int64 {
	if l.Traffic != nil {
		return l.Traffic.Offered
	}
	return in.Traffic.Offered
}

// timeline returns a chart with a curve for the reference and for each row with such values. It has at most that many
// bins of k buckets. Its data has the values of all buckets. special completes a curve.
func (s span) timeline(bins int, of func(*measure.Series) []int64, join func([]int64, int) []int64,
	special func(l Limiter, c *Curve, k int)) Timeline {
	width := s.Traffic.BucketUS
	k := joinFactor(s.to-s.from, width, bins)
	t := Timeline{Chart: s.chart(), FromUS: int64(s.from) * width, BinUS: width * int64(k),
		EndUS: int64(s.to) * width}
	if d := s.Run.DurationUS; d > t.EndUS-width && d < t.EndUS {
		t.EndUS = d // the last bucket extends beyond the scenario's end
	}
	starts := make([]int64, len(s.Traffic.Offered))
	for i := range starts {
		starts[i] = int64(i) * width
	}
	t.columns = []column{{"t_us", starts}, {"offered", join(s.Traffic.Offered, 1)}}
	curve := func(l Limiter, column string) *Curve {
		values := of(&l.Series)
		if values == nil {
			return nil
		}
		t.add(column, join(values, 1))
		c := &Curve{Label: l.Label, Values: join(values[s.from:s.to], k)}
		c.Top = slices.Max(c.Values)
		special(l, c, k)
		return c
	}
	for _, l := range s.Algorithms {
		if c := curve(l, l.Label); c != nil {
			t.Curves = append(t.Curves, *c)
		}
	}
	for _, l := range s.reference() {
		t.Reference = curve(l, "reference")
	}
	return t
}

// add appends a column to the data.
func (c *Chart) add(name string, values []int64) { c.columns = append(c.columns, column{name, values}) }

// later returns the admitted cost that leaves after the chart's end, for a shaper with reactive clients.
func (in Input) later(l Limiter) int64 {
	if row := in.Run.Find(l.Label); row != nil && row.Shaping != nil {
		return row.AdmittedCost - total(l.Series.Admitted)
	}
	return 0
}

// withLater adds to a fact how much leaves after the end of the chart.
func (in Input) withLater(fact string, l Limiter) string {
	if later := in.later(l); later > 0 {
		return fact + ", " + message.Grouped(later) + " after " + report.Natural(float64(in.Run.DurationUS))
	}
	return fact
}

// A silence at the beginning or the end of the scenario is cut off if it is longer than 1/longSilence of the scenario.
// A margin of 1/silenceLeft of the busy part remains.
const (
	longSilence = 4
	silenceLeft = 10
)

// drawn returns all buckets without a long silence at either end.
func (in Input) drawn() span {
	n := len(in.Traffic.Offered)
	first, last := n, -1
	for i := range n {
		if in.busy(i) {
			first, last = min(first, i), i
		}
	}
	s := span{Input: in, to: n}
	if last < 0 {
		return s
	}
	margin := (last-first)/silenceLeft + 1
	if n-1-last > n/longSilence {
		s.to = min(n, last+1+margin)
	}
	if first > n/longSilence {
		s.from = max(0, first-margin)
	}
	return s
}

// busy reports whether requests arrive in a bucket, or have an effect there.
func (in Input) busy(i int) bool {
	if in.Traffic.Offered[i] > 0 {
		return true
	}
	return slices.ContainsFunc(append(in.reference(), in.Algorithms...), func(l Limiter) bool {
		s := &l.Series
		return in.offered(l)[i] > 0 || s.Admitted[i] > 0 || s.Rolling[i] > 0 || s.DelayUS != nil && s.DelayUS[i] > 0
	})
}

// silence describes the part of the scenario that the axis leaves out, or returns "".
func (in Input) silence(t Timeline) string {
	var parts []string
	if t.FromUS > 0 {
		parts = append(parts, "begins at "+report.Natural(float64(t.FromUS))+", before which")
	}
	if t.EndUS < in.Run.DurationUS {
		parts = append(parts, "ends at "+report.Natural(float64(t.EndUS))+", after which")
	}
	if parts == nil {
		return ""
	}
	return "The axis " + strings.Join(parts, " nothing happens, and ") + " nothing happens"
}
