package algotest

import (
	"fmt"
	"math/rand/v2"

	"ratelab/internal/limit"
)

// RandomSkewedRequests returns random requests of several clients with the decisions of l. The clients' clocks are
// wrong by up to three windows or three seconds and drift. The server's clock steps back and forth by as much. AtUS,
// the true time, never goes back.
func RandomSkewedRequests(r *rand.Rand, p limit.Policy, l limit.Model) ([]limit.Request, []limit.Decision) {
	var requests []limit.Request
	var decisions []limit.Decision
	clients := make([]drifting, 1+r.IntN(4))
	for i := range clients {
		clients[i] = drifting{randomStep(r, p), r.Int64N(2001) - 1000}
	}
	at, serverUS, edge := r.Int64N(2*p.WindowUS()), int64(0), false
	for range RandomSteps {
		if r.IntN(12) == 0 || edge && r.IntN(3) == 0 {
			serverUS = randomStep(r, p)
		}
		q := limit.Request{AtUS: at, Key: fmt.Sprintf("k%d", r.IntN(2)), Cost: randomCost(r, p),
			ServerSkewUS: serverUS, ClientSkewUS: clients[r.IntN(len(clients))].skewUS(at)}
		d := limit.Ask(l, StartUS, &q)
		requests, decisions = append(requests, q), append(decisions, d)
		if edge = r.IntN(4) == 0; edge {
			at += expiry(r, p, d)
		} else {
			at += pause(r, p, d)
		}
	}
	return requests, decisions
}

// expiry returns how long a key that was written for d may live. As in the scripts, that is the time until its reset,
// sometimes with a window more. It is rounded up to whole milliseconds or seconds. A second, a millisecond or both may
// be added.
func expiry(r *rand.Rand, p limit.Policy, d limit.Decision) int64 {
	life := d.ResetAfterUS + p.WindowUS()*r.Int64N(2)
	unit := []int64{1_000, 1_000_000}[r.IntN(2)]
	return (life+unit-1)/unit*unit + 1_000_000*r.Int64N(2) + 1_000*r.Int64N(2)
}

// drifting is a clock that is wrong by offsetUS at first, and by ppm µs more each second.
type drifting struct{ offsetUS, ppm int64 }

func (d drifting) skewUS(atUS int64) int64 { return d.offsetUS + atUS/1_000_000*d.ppm }

// randomStep returns by how much a clock is wrong: not at all, or by some milliseconds, windows or seconds in either
// direction.
func randomStep(r *rand.Rand, p limit.Policy) int64 {
	span := []int64{1, 5_000, p.WindowUS() + 1, 3*p.WindowUS() + 1, 3_000_000}[r.IntN(5)]
	return r.Int64N(2*span-1) - span + 1
}
