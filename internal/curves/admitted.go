package curves

import (
	"fmt"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/message"
)

// admitted returns the offered and the admitted cost in each bin.
func (s span) admitted() Timeline {
	t := s.timeline(maxRateBins, admitted, sums, func(l Limiter, c *Curve, k int) {
		c.Offered = sums(s.offered(l)[s.from:s.to], k)
		c.Top = slices.Max(c.Offered)
		c.Fact = s.withLater(fmt.Sprintf("%s of %s admitted", message.Grouped(total(c.Values)+s.later(l)),
			message.Grouped(total(c.Offered))), l)
	})
	for _, l := range s.Algorithms {
		if l.Traffic != nil {
			t.add("offered to "+l.Label, l.Traffic.Offered)
		}
	}
	return t
}

func admitted(s *measure.Series) []int64 { return s.Admitted }
