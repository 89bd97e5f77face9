package curves

import (
	"ratelab/internal/measure"
	"ratelab/internal/message"
)

// keys is of the rows whose keys are counted all the time.
func (s span) keys() Timeline {
	t := s.timeline(maxBins, func(s *measure.Series) []int64 { return s.Keys }, peaks,
		func(l Row, c *Curve, _ int) {
			c.Fact = message.Grouped(l.Series.Keys[len(l.Series.Keys)-1]) + " in the end"
		})
	t.Unit = "keys"
	t.Caption = "Keys held on the server"
	return t
}
