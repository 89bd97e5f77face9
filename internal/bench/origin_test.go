package bench

import (
	"math"
	"slices"
	"testing"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/result"
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
	longtest.Skip(t, "plays on the wall clock")
	j := tiny(t, "fixed-window-aligned")
	j.Scenarios[0] = written(t, edge)
	j.Rounds, j.Wish = 3, load.Wish{}
	r := runJob(t, j)
	for _, round := range r.Latency[1].Rounds {
		// As many may fall on the other side as were due within the longest response before it: one, unless the
		// machine is busy.
		late := int64(math.Ceil(round.ResponseP99US / 3750))
		if round.Admitted < 80-late {
			t.Errorf("round %d admitted %d of 80, and at most %d may have been late", round.Round, round.Admitted, late)
		}
	}
}

// A part of a scenario in which nothing is due measures nothing.
func TestNothingPlayedIsInvalid(t *testing.T) {
	longtest.Skip(t, "measures for a second")
	j := tiny(t, "gcra")
	j.Scenarios[0] = written(t, edge)
	j.Rounds = 1
	r := runJob(t, j)
	nothing := func(r result.Reason) bool { return r.Code == "nothing" }
	if !slices.ContainsFunc(r.Validity.Reasons, nothing) {
		t.Errorf("a play of nothing is valid, or invalid for other reasons: %v", r.Validity.Reasons)
	}
}

// late has its burst after a while in which the limit is used up.
const late = `name: late
question: Does what came before count?
limit: {requests: 40, per: 1s}
phases:
  - {name: before, duration: 30s, constant: 10/s}
  - {name: burst, duration: 100ms, constant: 60}
  - {name: after, duration: 20s, constant: 1/s}
`

// What comes before the part that is played is not played, neither here nor in virtual time: nothing of the limit is
// used up.
func TestWhatComesBeforeIsNotPlayed(t *testing.T) {
	j := tiny(t, "sliding-window-log")
	j.Scenarios[0] = written(t, late)
	j.Wish = load.Wish{From: 30 * time.Second, For: 100 * time.Millisecond}
	j.Rounds = 1
	found := runJob(t, j)
	r := &found.Runs[0]
	if r.Played.FromUS != 30_000_000 || r.Played.LengthUS != 100_000 || len(r.Notes) != 1 {
		t.Errorf("played %d µs from %d on: %q", r.Played.LengthUS, r.Played.FromUS, r.Notes)
	}
	row := found.Plays(r)[1]
	if row.Offered != 60 || row.Admitted != 40 || row.Row.Offered != 60 || row.Row.Admitted != 40 {
		t.Errorf("admitted %d of %d, in virtual time %d of %d; want 40 of 60", row.Admitted, row.Offered,
			row.Row.Admitted, row.Row.Offered)
	}
	var admitted, most int64
	for i, n := range row.Course.Admitted {
		admitted, most = admitted+n, max(most, row.Course.Rolling[i])
	}
	// what a busy machine answers after the part's end is in no window of it
	late := row.Rounds[0].ResponseP99US > 50_000
	if admitted != 40 || most > 40 || most < 40 && !late {
		t.Errorf("the course has %d admitted and a window of %d; want 40 and 40", admitted, most)
	}
}

// crowd comes again when it is told to.
const crowd = `name: crowd
question: Who comes again?
limit: {requests: 10, per: 100ms}
phases:
  - {name: rush, duration: 50ms, constant: 40}
  - {name: drain, duration: 450ms, pause: true}
clients:
  - {name: obedient, count: 40, on_reject: obey, delay: 2ms}
`

// Clients that react play on the wall clock as they do in virtual time: all 40 pass, ten in each tenth of a second.
func TestClientsThatReactArePlayed(t *testing.T) {
	longtest.Skip(t, "measures for a second")
	j := tiny(t, "fixed-window")
	j.Scenarios[0] = written(t, crowd)
	j.Wish, j.Rounds = load.Wish{}, 1
	r := runJob(t, j)
	row := r.Plays(&r.Runs[0])[1]
	if row.Admitted < 39 || row.Row.Admitted != 40 || row.Rejected < 40 || row.Row.Rejected < 40 {
		t.Errorf("admitted %d and rejected %d; in virtual time %d and %d", row.Admitted, row.Rejected,
			row.Row.Admitted, row.Row.Rejected)
	}
	if row.Rounds[0].DiffersFromVirtual != nil {
		t.Error("decisions on other requests are compared")
	}
	var offered int64
	for _, n := range row.Course.Offered {
		offered += n
	}
	if offered != row.Sent {
		t.Errorf("the course has %d offered of %d that were sent", offered, row.Sent)
	}
}
