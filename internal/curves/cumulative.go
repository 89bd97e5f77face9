package curves

import (
	"ratelab/internal/chart"
)

func (in Input) cumulative() Timeline {
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		seen := total(l.Series.Admitted)
		c := Curve{Label: l.Label, Values: soFar(l.Series.Admitted, join), Top: seen}
		for _, r := range in.reference() {
			c.Fact = in.withLater(apart(seen+in.later(l)-total(r.Series.Admitted)), l)
		}
		return c
	})
	t.Caption = "Let through so far, in " + t.Unit
	t.columns = in.columns(soFar(in.Traffic.Offered, 1), func(l Lane) []int64 { return soFar(l.Series.Admitted, 1) })
	return t
}

// apart says how far a total is from the exact reference's.
func apart(difference int64) string {
	switch {
	case difference > 0:
		return chart.Exact(difference) + " more than exact"
	case difference < 0:
		return chart.Exact(-difference) + " fewer than exact"
	}
	return "as many as exact"
}
