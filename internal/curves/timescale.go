package curves

import (
	"fmt"
	"slices"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// TimescaleName is that of the chart's files.
const TimescaleName = "timescale"

// Timescale is the chart of the most that was let through in any interval, by the interval's length: it tells 200
// within 10 ms from 200 within 1 s.
type Timescale struct {
	Chart
	IntervalUS []int64 // ascending
	Allowed    []int64 // what the contract allows in each
	Window     int     // the index of the limit's window
}

// NewTimescale has a curve of each row that was looked at in intervals of every length. It is nil where no row was.
func NewTimescale(run *result.Run) *Timescale {
	scales := run.TimeScales
	if scales == nil || len(scales.IntervalUS) < 2 || len(scales.Limit) != len(scales.IntervalUS) {
		return nil
	}
	t := &Timescale{Chart: newChart(run), IntervalUS: scales.IntervalUS, Allowed: scales.Limit}
	t.Caption = "The most let through for one key in any interval, by the interval's length, in " + t.Unit
	t.Window = slices.Index(t.IntervalUS, t.Limit.WindowUS)
	if t.Window < 0 {
		t.Window = len(t.IntervalUS) - 1
	}
	for i := range run.Results {
		if len(run.Results[i].MostAdmitted) == len(t.IntervalUS) {
			t.Curves = append(t.Curves, t.curve(&run.Results[i]))
		}
	}
	if len(t.Curves) == 0 {
		return nil
	}
	t.addColumns()
	return t
}

func (t *Timescale) curve(row *result.Row) Curve {
	values := row.MostAdmitted
	c := Curve{Label: row.Algorithm, Values: values, Top: values[t.Window], Fact: t.fact(values)}
	of := t.Allowed
	if len(row.Bound) == len(t.IntervalUS) {
		c.Bound, of = row.Bound, row.Bound
	}
	for i, v := range values {
		c.Multiples = append(c.Multiples, float64(v)/float64(max(1, of[i])))
	}
	return c
}

// fact says how much more than the window's limit there was, and in how short a time.
func (t *Timescale) fact(values []int64) string {
	limit, name := t.Allows()
	most := values[t.Window]
	if most <= limit {
		return t.kept(most)
	}
	// first is the shortest interval with at least so much.
	first := func(least int64) int64 {
		return t.IntervalUS[slices.IndexFunc(values, func(v int64) bool { return v >= least })]
	}
	above := first(limit + 1)
	reached := first(most - (most-limit)/100) // but for a hundredth of the overshoot
	switch {
	case above >= t.Limit.WindowUS:
		return times(most, limit) + " only over " + report.Natural(float64(t.Limit.WindowUS))
	case above == reached:
		return times(most, limit) + " the " + name + " within " + report.Natural(float64(above))
	}
	return fmt.Sprintf("%s over %s, above 1 × in %s", times(most, limit),
		report.Natural(float64(reached)), report.Natural(float64(above)))
}

// addColumns has a line for each interval: the most that each row let through, what the contract allows, and what each
// row promises, which is empty for those that promise nothing.
func (t *Timescale) addColumns() {
	t.add("interval_us", t.IntervalUS)
	for _, c := range t.Curves {
		t.add(c.Label, c.Values)
	}
	t.add("limit", t.Allowed)
	for _, c := range t.Curves {
		t.add(c.Label+" bound", c.Bound)
	}
}
