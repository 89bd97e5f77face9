package curves

import "ratelab/internal/message"

// cumulative returns the running total of the admitted cost.
func (s span) cumulative() Timeline {
	t := s.timeline(maxBins, admitted, soFar, func(l Limiter, c *Curve, _ int) {
		for _, r := range s.reference() {
			c.Fact = s.withLater(apart(c.Top+s.later(l)-total(r.Series.Admitted)), l)
		}
	})
	t.Caption = "Admitted so far, in " + t.Unit
	return t
}

// apart describes the difference of a total from the exact reference's.
func apart(difference int64) string {
	switch {
	case difference > 0:
		return message.Grouped(difference) + " more than exact"
	case difference < 0:
		return message.Grouped(-difference) + " fewer than exact"
	}
	return "as many as exact"
}
