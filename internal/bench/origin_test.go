package bench

import (
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/play"
)

// edge has its burst on both sides of a second's end: an aligned window admits all of it where that is, and half of it
// anywhere else.
const edge = `name: edge
question: Is the edge where it is?
limit: {requests: 40, per: 1s}
phases:
  - {name: before, duration: 850ms, pause: true}
  - {name: burst, duration: 300ms, constant: 80}
`

// A play on the wall clock begins where the scenario's clock would be in its window, whenever that is.
func TestAPlayMeetsTheEdgeOfItsWindow(t *testing.T) {
	j := tiny(t, "fixed-window-aligned")
	j.Scenarios[0] = written(t, edge)
	j.Rounds, j.Wish, j.Sweep, j.Fills = 3, play.Wish{Whole: true}, []int{}, []int64{}
	r := runJob(t, j)
	for _, round := range r.Runs[0].Rows[1].Rounds {
		if round.Accepted < 79 { // one request may fall on the other side
			t.Errorf("round %d accepted %d of 80", round.Round, round.Accepted)
		}
	}
}

// A part of a scenario in which nothing is due measures nothing.
func TestNothingPlayedIsInvalid(t *testing.T) {
	j := tiny(t, "gcra")
	j.Scenarios[0] = written(t, edge)
	j.Rounds, j.Sweep, j.Fills = 1, []int{}, []int64{}
	r := runJob(t, j)
	if r.Validity.Valid {
		t.Error("a play of nothing is valid")
	}
}

// A script that decides nothing and takes longer than one that decides, by more than the noise, is a reason.
func TestADearControlIsInvalid(t *testing.T) {
	ratio := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		ratio, floor float64
		reasons      int
	}{{1.5, 1.04, 0}, {0.97, 1.04, 0}, {0.9, 1.04, 1}, {0.9, 1.94, 0}, {0.5, 1.94, 1}, {0.9, 0, 1}} {
		mixes := []benchresult.Mix{{RatioToControl: ratio(c.ratio)}, {}}
		d := &benchresult.Document{Costs: []benchresult.Cost{{Mixes: mixes}}}
		d.NoiseFloor.ServerUS = c.floor
		if got := dearControl(d); len(got) != c.reasons {
			t.Errorf("%v of the control, floor %v: %v", c.ratio, c.floor, got)
		}
	}
}
