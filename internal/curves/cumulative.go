package curves

import (
	"ratelab/internal/chart"
)

func (in Input) cumulative() Timeline {
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		all := total(l.Series.Admitted)
		c := Curve{Label: l.Label, Values: soFar(l.Series.Admitted, join), Top: all}
		for _, r := range in.reference() {
			c.Fact = apart(all - total(r.Series.Admitted))
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
