package curves

import (
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

func (in Input) window() Timeline {
	limit := in.Run.Limit.Requests
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		c := Curve{Label: l.Label, Values: peaks(l.Series.Rolling, join), Fact: withinTheLimit}
		if c.Top = slices.Max(c.Values); c.Top > limit {
			c.Fact = times(c.Top, limit) + " the limit"
		}
		return c
	})
	t.Caption = "Let through in the last " + chart.Each(float64(in.Run.Limit.WindowUS))
	if in.Run.Keys > 1 {
		t.Caption += ", by the key that had most"
	}
	t.Caption += ", in " + t.Unit
	t.columns = append(in.columns(in.Traffic.Offered, func(l Lane) []int64 { return l.Series.Rolling }),
		column{"limit", slices.Repeat([]int64{limit}, len(in.Traffic.Offered))})
	return t
}

// withinTheLimit is the fact about a curve that is nowhere above it.
const withinTheLimit = "within the limit"

// times is a multiple of the limit in words: 1.98 ×.
func times(most, limit int64) string { return sheet.Times(float64(most)/float64(limit)) + " ×" }
