package curves

import (
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// window returns the cost admitted in the window that ends at each moment.
func (s span) window() Timeline {
	base := s.chart()
	t := s.timeline(maxBins, func(s *measure.Series) []int64 { return s.Rolling }, peaks,
		func(l Limiter, c *Curve, _ int) { c.Fact = base.fact(c.Top, s.xLimit(l)) })
	t.Caption = "Admitted in the last " + report.Each(s.Run.Limit.WindowUS)
	if s.Run.Limit.Contract == limit.ByFlight {
		t.Caption = "In flight"
	}
	if s.Run.Keys > 1 {
		t.Caption += ", by the key that had most"
	}
	t.Caption += ", in " + t.Unit
	allowed, _ := base.Allows()
	t.add("limit", slices.Repeat([]int64{allowed}, len(s.Traffic.Offered)))
	return t
}

// chart returns the common part of a chart.
func (s span) chart() Chart {
	c := newChart(s.Run)
	if s.counts == "requests" {
		c.Unit = s.counts
	}
	return c
}

// xLimit returns a row's x_limit, or 0 if the document has no such row.
func (in Input) xLimit(l Limiter) float64 {
	if row := in.Run.Find(l.Label); row != nil {
		return row.XLimit
	}
	return 0
}
