package curves

import (
	"slices"

	"ratelab/internal/chart"
)

// delay is of the rows that delay what they admit; a chart without curves where there is none.
func (in Input) delay() Timeline {
	in.Reference = nil
	in.Algorithms = slices.DeleteFunc(slices.Clone(in.Algorithms), func(l Lane) bool { return l.Series.DelayUS == nil })
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		c := Curve{Label: l.Label, Values: milliseconds(peaks(l.Series.DelayUS, join))}
		c.Top = slices.Max(c.Values)
		c.Fact = "up to " + chart.Span(float64(slices.Max(l.Series.DelayUS)))
		return c
	})
	t.Unit = "ms"
	t.Caption = "The longest that what arrives has to wait, in ms"
	t.columns = in.columns(in.Traffic.Offered, func(l Lane) []int64 { return l.Series.DelayUS })
	return t
}

// milliseconds are µs, rounded up.
func milliseconds(us []int64) []int64 {
	for i, v := range us {
		us[i] = (v + 999) / 1000
	}
	return us
}
