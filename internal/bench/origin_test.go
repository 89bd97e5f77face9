package bench

import (
	"testing"
	"time"
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
	j.Rounds, j.Duration, j.Sweep, j.Fills = 3, 2*time.Second, []int{}, []int64{}
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
