package curves

import (
	"slices"

	"ratelab/internal/chart"
)

// keys is of the rows whose keys are counted all the time; a chart without curves where there is none.
func (in Input) keys() Timeline {
	in.Reference = nil
	in.Algorithms = slices.DeleteFunc(slices.Clone(in.Algorithms), func(l Lane) bool { return l.Series.Keys == nil })
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		c := Curve{Label: l.Label, Values: peaks(l.Series.Keys, join)}
		c.Top = slices.Max(c.Values)
		c.Fact = chart.Exact(l.Series.Keys[len(l.Series.Keys)-1]) + " in the end"
		return c
	})
	t.Unit = "keys"
	t.Caption = "Keys held on the server"
	t.columns = in.columns(in.Traffic.Offered, func(l Lane) []int64 { return l.Series.Keys })
	return t
}
