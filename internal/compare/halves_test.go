package compare

import (
	"math"
	"strings"
	"testing"

	"ratelab/internal/benchresult"
)

// inTurns gives every sample of a run halves that differ by a ratio.
func inTurns(p *benchresult.Paired, sides, control float64) *benchresult.Paired {
	split := func(s *benchresult.Sample, ratio float64) {
		half := func(factor float64) benchresult.Sample {
			us := *s.ServerUSPerCall * factor
			return benchresult.Sample{ServerUSPerCall: &us, ServiceP50US: s.ServiceP50US * factor,
				ServiceP99US: s.ServiceP99US * factor}
		}
		s.Halves = []benchresult.Sample{half(math.Sqrt(ratio)), half(1 / math.Sqrt(ratio))}
	}
	eachPair(p, func(_ int, q *benchresult.Pair) {
		split(&q.Base, sides)
		split(&q.Head, sides)
		for i := range q.Controls {
			split(&q.Controls[i], control)
		}
	})
	return p
}

// The noise floor is how far the halves of one side lie apart, however much the pairs differ among each other.
func TestTheNoiseFloorIsThatOfTheHalves(t *testing.T) {
	p := inTurns(withCounts(still(1)), 1.07, 1)
	eachPair(p, func(i int, q *benchresult.Pair) {
		for _, s := range []*benchresult.Sample{&q.Base, &q.Head} {
			*s.ServerUSPerCall *= 1 + float64(i%2) // one pair in two is twice as slow, for both sides
		}
	})
	timing := gateNamed(Paired(p), GateServerCost).Rows[0].Timing
	if timing.NoiseFloor == nil || math.Abs(*timing.NoiseFloor-1.07) > 1e-9 {
		t.Errorf("noise floor %v, want 1.07", timing.NoiseFloor)
	}
}

// A control that drifts is no obstacle where everybody takes turns; one whose halves differ is.
func TestTheControlIsJudgedByItsHalves(t *testing.T) {
	drifting := inTurns(withCounts(still(1)), 1.02, 1.02)
	eachPair(drifting, func(i int, q *benchresult.Pair) { *q.Controls[0].ServerUSPerCall *= 1 + float64(i)/4 })
	if got := gateNamed(Paired(drifting), GateServerCost); got.Outcome != Same {
		t.Errorf("a drift: %v %v", got.Outcome, got.Reasons)
	}
	unsteady := Paired(inTurns(withCounts(still(1.3)), 1.02, 1.4))
	got := gateNamed(unsteady, GateServerCost)
	if got.Outcome != Inconclusive ||
		!strings.Contains(strings.Join(got.Reasons, " "), "the control's two halves differ by 1.40x, more than 1.35x") {
		t.Errorf("halves that differ: %v %v", got.Outcome, got.Reasons)
	}
}
