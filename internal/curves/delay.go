package curves

import (
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// delay returns the longest delay in each bin, of rows that delay requests.
func (s span) delay() Timeline {
	t := s.timeline(maxBins, func(s *measure.Series) []int64 { return s.DelayUS }, peaks,
		func(_ Limiter, c *Curve, _ int) {
			c.Fact = "up to " + report.Natural(float64(c.Top))
			for i, us := range c.Values {
				c.Values[i] = (us + 999) / 1000 // whole ms, rounded up
			}
			c.Top = slices.Max(c.Values)
		})
	t.Unit = "ms"
	t.Caption = "The longest that what arrives has to wait, in ms"
	return t
}
