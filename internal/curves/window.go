package curves

import (
	"slices"

	"ratelab/internal/chart"
	"ratelab/internal/sheet"
)

func (in Input) window() Timeline {
	base := newChart(in.Run)
	limit, _ := base.Allows()
	t := in.timeline(maxBins, func(l Lane, join int) Curve {
		c := Curve{Label: l.Label, Values: peaks(l.Series.Rolling, join)}
		c.Top = slices.Max(c.Values)
		c.Fact = base.kept(c.Top)
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

// kept is the fact about a curve whose highest is so much.
func (c Chart) kept(top int64) string {
	allowed, name := c.Allows()
	if top > allowed {
		return times(top, allowed) + " the " + name
	}
	return within + name
}

// within begins the fact about a curve that is nowhere above what is allowed.
const within = "within the "

// times is a multiple of what is allowed in words: 1.98 ×.
func times(most, allowed int64) string { return sheet.Times(float64(most)/float64(allowed)) + " ×" }
