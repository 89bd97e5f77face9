package curves

import (
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// window is the sum let through in the window that ends at each moment.
func (s span) window() Timeline {
	base := newChart(s.Run)
	t := s.timeline(maxBins, func(s *measure.Series) []int64 { return s.Rolling }, peaks,
		func(_ Row, c *Curve, _ int) { c.Fact = base.kept(c.Top) })
	t.Caption = "Let through in the last " + report.Each(s.Run.Limit.WindowUS)
	if s.Run.Keys > 1 {
		t.Caption += ", by the key that had most"
	}
	t.Caption += ", in " + t.Unit
	allowed, _ := base.Allows()
	t.add("limit", slices.Repeat([]int64{allowed}, len(s.Traffic.Offered)))
	return t
}
