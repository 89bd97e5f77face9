package curves

import (
	"fmt"
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/measure"
)

// maxRateBins is the most bins of a rate: in narrower ones whole requests make teeth of an even flow.
const maxRateBins = 72

func (in Input) admitted() Timeline {
	t := in.timeline(maxRateBins, func(l Lane, join int) Curve {
		offered := in.Traffic.Offered
		if l.Traffic != nil {
			offered = l.Traffic.Offered
		}
		c := Curve{Label: l.Label, Values: sums(l.Series.Admitted, join), Offered: sums(offered, join)}
		c.Top = slices.Max(c.Offered)
		c.Fact = fmt.Sprintf("%s of %s admitted", chart.Exact(total(c.Values)), chart.Exact(total(c.Offered)))
		return c
	})
	t.columns = in.columns(in.Traffic.Offered, func(s measure.Series) []int64 { return s.Admitted })
	for _, l := range in.Algorithms {
		if l.Traffic != nil {
			t.columns = append(t.columns, column{"offered to " + l.Label, l.Traffic.Offered})
		}
	}
	return t
}
