package curves

import (
	"fmt"
	"slices"

	"ratelab/internal/chart"
)

// maxRateBins is the most bins of a rate: in narrower ones whole requests make teeth of an even flow.
const maxRateBins = 72

func (in Input) admitted() Timeline {
	t := in.timeline(maxRateBins, func(l Lane, join int) Curve {
		c := Curve{Label: l.Label, Values: sums(l.Series.Admitted, join), Offered: sums(in.offered(l), join)}
		c.Top = slices.Max(c.Offered)
		c.Fact = in.withLater(fmt.Sprintf("%s of %s let through", chart.Exact(total(c.Values)+in.later(l)),
			chart.Exact(total(c.Offered))), l)
		return c
	})
	t.columns = in.columns(in.Traffic.Offered, func(l Lane) []int64 { return l.Series.Admitted })
	for _, l := range in.Algorithms {
		if l.Traffic != nil {
			t.columns = append(t.columns, column{"offered to " + l.Label, l.Traffic.Offered})
		}
	}
	return t
}
