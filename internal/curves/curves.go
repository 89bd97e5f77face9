// Package curves makes what the charts of one run show: the values of each curve, the words beside them, and the data
// behind them. Pictures and the page only draw it, so that the same run looks the same on both. The package places
// nothing: it knows no pixel, no colour and no format of pictures, reads no clock, and knows no algorithm.
package curves

import (
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Input is one run and the course of it over time. All series and the traffic have the same number of
// buckets, at least one, of the same width, counted from the scenario's start.
type Input struct {
	Run        *report.Run
	Version    string // of this program, for a picture's footer; may be empty
	Traffic    measure.Traffic
	Reference  *measure.Series // of the exact limiter; nil where each row had requests of its own
	Algorithms []Lane
	fromUS     int64 // where the first bucket begins, if not at the scenario's start
}

// Lane is one algorithm's course under its label, as in report.Row.
type Lane struct {
	Label   string
	Series  measure.Series
	Traffic *measure.Traffic // what it was offered, where that is not what all were; buckets as the Input's
}

// Chart is what every chart has, whatever its horizontal axis.
type Chart struct {
	Caption string // what is shown, and its unit
	Unit    string // requests, or permits where they do not cost one each
	Limit   result.Limit
	Curves  []Curve // of the rows, in the order of the run
	columns []column
}

// Allows is the most that the contract allows for one key in the limit's window, and what a chart calls that.
func (c Chart) Allows() (allowed int64, name string) {
	if c.Limit.Contract == limit.ByBucket {
		return c.Limit.Requests + c.Limit.Burst, "limit + burst"
	}
	return c.Limit.Requests, "limit"
}

// Curve is one row's.
type Curve struct {
	Label   string
	Values  []int64 // for each bin of a Timeline, or each interval of a Timescale
	Top     int64   // of Values the one that counts: the highest of a Timeline, a Timescale's at the limit's window
	Fact    string  // the one figure to take home, in words
	Offered []int64 // of a Flow: of what Values were admitted, in the same bins; Top is the highest of these
	Bound   []int64 // of a Timescale: what the algorithm promises; nil where it promises nothing
	// Multiples of a Timescale are Values over Bound, and over what the contract allows where there is none.
	Multiples []float64
}

// Shown are the curves that are drawn at first: without the floor and its variants, since they admit whatever is
// offered and would dwarf the others, unless there are no others.
func (c Chart) Shown() []Curve {
	others := slices.DeleteFunc(slices.Clone(c.Curves), func(c Curve) bool { return report.IsFloor(c.Label) })
	if len(others) == 0 {
		return c.Curves
	}
	return others
}

// Drawing is how a chart over time is drawn.
type Drawing int

// The drawings.
const (
	Flow  Drawing = iota // what was offered in each bin, and what of it was admitted: on a page there is no room for it
	Level                // a height at each moment, the limit across it
	Sum                  // what grows, beside the same of the exact reference
	Wait                 // a height at each moment
	Stock                // the same, of what is held
)

// overTime are the charts over time, in the order in which they are shown. To add one, write down here what it is
// called, how it is drawn and what makes it. One without curves is left out.
var overTime = []struct {
	name    string
	drawing Drawing
	of      func(Input) Timeline
}{
	{"admitted", Flow, Input.admitted},
	{"window", Level, Input.window}, // here an overshoot is seen
	{"cumulative", Sum, Input.cumulative},
	{"delay", Wait, Input.delay},
	{"keys", Stock, Input.keys}, // here it is seen that nothing deletes them
}

// Names are those of all charts that a run may have, as their files have them.
func Names() []string {
	var names []string
	for _, d := range overTime {
		names = append(names, d.name)
	}
	return append(names, TimescaleName)
}

// Timeline is a chart over time, in bins of equal width from the scenario's start.
type Timeline struct {
	Chart
	Name      string
	Drawing   Drawing
	Reference *Curve // of the exact limiter; nil where there is none
	FromUS    int64  // of the time axis, where the first bin begins
	BinUS     int64
	EndUS     int64  // of the time axis; the last bin may reach beyond it
	Silence   string // a sentence on what of the scenario the axis leaves out; may be empty
}

// Timelines makes the charts over time of a run, or says why its course cannot be drawn.
func Timelines(in Input) ([]Timeline, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	var all []Timeline
	drawn := in.within(in.stretch())
	for _, d := range overTime {
		t := d.of(drawn)
		t.Name, t.Drawing, t.Silence, t.columns = d.name, d.drawing, in.silence(t), d.of(in).columns
		if len(t.Curves) > 0 {
			all = append(all, t)
		}
	}
	return all, nil
}

// timeline has a curve of each lane and of the reference, of no more than so many bins. The function makes one from
// bins of join buckets.
func (in Input) timeline(bins int, curve func(l Lane, join int) Curve) Timeline {
	width, buckets := in.Traffic.BucketUS, int64(len(in.Traffic.Offered))
	join := joinFactor(len(in.Traffic.Offered), width, bins)
	t := Timeline{Chart: newChart(in.Run), FromUS: in.fromUS, BinUS: width * int64(join),
		EndUS: in.fromUS + width*buckets}
	if d := in.Run.DurationUS; d > t.EndUS-width && d < t.EndUS {
		t.EndUS = d // the last bucket reaches beyond the scenario's end
	}
	for _, l := range in.Algorithms {
		t.Curves = append(t.Curves, curve(l, join))
	}
	for _, l := range in.reference() {
		c := curve(l, join)
		t.Reference = &c
	}
	return t
}

// reference is the exact limiter as a lane, where there is one.
func (in Input) reference() []Lane {
	if in.Reference == nil {
		return nil
	}
	return []Lane{{Label: report.ReferenceLabel, Series: *in.Reference}}
}

// later is what a lane admitted and lets leave after the run's end, as a shaper does with what it holds back.
func (in Input) later(l Lane) int64 {
	i := slices.IndexFunc(in.Run.Results, func(r report.Row) bool { return r.Algorithm == l.Label })
	if i < 0 || in.Run.Results[i].Shaping == nil {
		return 0
	}
	return in.Run.Results[i].AdmittedCost - total(l.Series.Admitted)
}

// withLater adds to a fact how much of what was let through is not to be seen.
func (in Input) withLater(fact string, l Lane) string {
	if later := in.later(l); later > 0 {
		return fact + ", " + chart.Exact(later) + " after " + chart.Span(float64(in.Run.DurationUS))
	}
	return fact
}

// offered is what a lane was offered, in the buckets of the traffic.
func (in Input) offered(l Lane) []int64 {
	if l.Traffic != nil {
		return l.Traffic.Offered
	}
	return in.Traffic.Offered
}

func newChart(run *report.Run) Chart {
	if run.HasCosts() {
		return Chart{Unit: "permits", Limit: run.Limit}
	}
	return Chart{Unit: "requests", Limit: run.Limit}
}

func (in Input) validate() error {
	if in.Run == nil {
		return errors.New("chart: no run")
	}
	name, width, n := in.Run.Scenario, in.Traffic.BucketUS, len(in.Traffic.Offered)
	if len(in.Algorithms) == 0 {
		return fmt.Errorf("chart %s: no algorithm to draw", name)
	}
	if width < 1 || n < 1 {
		return fmt.Errorf("chart %s: %d buckets of %d us: want at least one of at least 1 us", name, n, width)
	}
	for _, l := range append(in.reference(), in.Algorithms...) {
		if l.Series.BucketUS != width || len(l.Series.Admitted) != n || len(l.Series.Rolling) != n {
			return fmt.Errorf("chart %s: the buckets of %q (%d and %d of %d us) are not those of the traffic (%d "+
				"of %d us)",
				name, l.Label, len(l.Series.Admitted), len(l.Series.Rolling), l.Series.BucketUS, n, width)
		}
		if t := l.Traffic; t != nil && (t.BucketUS != width || len(t.Offered) != n) {
			return fmt.Errorf("chart %s: the buckets of what %q was offered (%d of %d us) are not those of the "+
				"traffic "+
				"(%d of %d us)", name, l.Label, len(t.Offered), t.BucketUS, n, width)
		}
	}
	return nil
}
