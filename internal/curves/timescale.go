package curves

import (
	"slices"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Timescale is the chart of the most that was admitted in any interval, by the interval's length. It distinguishes 200
// within 10 ms from 200 within 1 s.
type Timescale struct {
	Chart
	IntervalUS []int64 // ascending
	Allowed    []int64 // the most that the contract allows in each interval
	Window     int     // the index of the limit's window
}

// NewTimescale returns a chart with a curve for each row with measurements for all lengths. Top is the value for the
// limit's window. It returns nil if no row has such measurements.
func NewTimescale(run *result.Run) *Timescale {
	scales := run.TimeScales
	if scales == nil || len(scales.IntervalUS) < 2 {
		return nil
	}
	chart := newChart(run)
	for _, l := range run.Limits {
		if l.Name == scales.Of {
			chart.Limit = l.Limit
			if l.Counts == "requests" {
				chart.Unit = l.Counts
			}
		}
	}
	t := &Timescale{Chart: chart, IntervalUS: scales.IntervalUS, Allowed: scales.Limit}
	t.Window = slices.Index(t.IntervalUS, t.Limit.WindowUS)
	t.add("interval_us", t.IntervalUS)
	for i := range run.Results {
		if row := &run.Results[i]; len(row.MostAdmitted) == len(t.IntervalUS) && t.Window >= 0 {
			most := row.MostAdmitted
			t.Curves = append(t.Curves, Curve{Label: row.Algorithm, Values: most, Top: most[t.Window],
				Fact: t.factOf(most)})
			t.add(row.Algorithm, most)
		}
	}
	t.add("limit", t.Allowed)
	if t.Curves == nil {
		return nil
	}
	return t
}

// factOf describes by how much the limit was exceeded in its window, and from which length of interval on.
func (t *Timescale) factOf(most []int64) string {
	allowed, name := t.Allows()
	if most[t.Window] <= allowed {
		return t.kept(most[t.Window])
	}
	above := slices.IndexFunc(most, func(v int64) bool { return v > allowed })
	return times(most[t.Window], allowed) + " the " + name + ", above it in " +
		report.Natural(float64(t.IntervalUS[above]))
}
