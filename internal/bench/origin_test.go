package bench

import (
	"testing"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/longtest"
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

// Clients that react are played on the wall clock too. In virtual time all 40 pass, ten in each tenth of a second.
func TestClientsThatReactArePlayed(t *testing.T) {
	longtest.Skip(t, "measures for a second")
	j := tiny(t, "fixed-window")
	j.Scenarios[0] = written(t, crowd)
	j.Wish, j.Rounds = load.Wish{}, 1
	r := runJob(t, j)
	row := r.Plays(&r.Runs[0])[1]
	if row.Row.Admitted != 40 || row.Row.Rejected < 40 {
		t.Errorf("in virtual time %d are admitted and %d rejected", row.Row.Admitted, row.Row.Rejected)
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
