package measure

import "ratelab/internal/limit"

// steepest finds the largest N/(B + L·t/W) over all keys and all closed intervals [s, s+t], with N the admitted cost.
// Under a bucket contract this is x_limit.
//
// Let x be the time in units of W/L, and C the cost admitted until then. The quotient is the slope of the line from a
// point (x − B, C before an admission) to a point (x, C after a later admission). Only starting points on the lower
// convex hull can have the largest slope. Of these, only points matter from which the line to the next point is steeper
// than the largest quotient yet. The memory grows with their number. The time is amortised O(1) per admission.
type steepest struct {
	burst, rate float64 // B, and L/W per µs
	hulls       []hull  // by the number of the key
	largest     float64
}

// hull has the cost of a key until now, and its starting points.
type hull struct {
	cost   int64
	starts []start
}

// start is the cost before an admission at atUS.
type start struct{ atUS, cost int64 }

func newSteepest(p limit.Policy) *steepest {
	return &steepest{burst: float64(p.Capacity()), rate: float64(p.Requests) / float64(p.WindowUS())}
}

// add records an admission of the key and returns the largest quotient until now. atUS must not decrease.
func (s *steepest) add(number, atUS, cost int64) float64 {
	for number >= int64(len(s.hulls)) {
		s.hulls = append(s.hulls, hull{})
	}
	h := &s.hulls[number]
	p, n := start{atUS, h.cost}, len(h.starts)
	if n == 0 || h.starts[n-1].atUS < atUS { // if several admissions have the same time, the first is the best start
		for n > 1 && s.slope(h.starts[n-2], h.starts[n-1]) >= s.slope(h.starts[n-1], p) {
			n--
		}
		h.starts = append(h.starts[:n], p)
	}
	h.cost += cost
	for {
		for len(h.starts) > 1 && s.slope(h.starts[0], h.starts[1]) <= s.largest {
			h.starts = h.starts[1:]
		}
		first := h.starts[0]
		q := float64(h.cost-first.cost) / (s.burst + s.rate*float64(atUS-first.atUS))
		if q <= s.largest {
			return s.largest
		}
		s.largest = q
	}
}

// slope returns the slope of the line between two starting points. a must be earlier than b.
func (s *steepest) slope(a, b start) float64 {
	return float64(b.cost-a.cost) / (s.rate * float64(b.atUS-a.atUS))
}
