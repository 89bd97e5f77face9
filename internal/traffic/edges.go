package traffic

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// edgeRequests is the number of requests of Edges, and edgeKeys the number of their keys.
const (
	edgeRequests = 10_000
	edgeKeys     = 3
)

// Edges returns random traffic for the edge cases of limiters. It has bursts of the limit's size and one more or less;
// gaps of a token interval, of half a window and of a window; requests at the edges of aligned windows; and requests
// one microsecond to either side of each. It has several keys and costs, and ends with its last request. If steps is
// set, all clocks step back and forth by up to three windows or seconds.
func Edges(p limit.Policy, seed uint64, steps bool) *Stream {
	t := throw{policy: p, random: rand.New(rand.NewPCG(seed, uint64(p.Requests))), steps: steps}
	for len(t.all) < edgeRequests {
		t.episode()
	}
	all := t.all[:edgeRequests]
	return List(all, time.Duration(all[edgeRequests-1].AtUS+1)*time.Microsecond, true)
}

// throw is the state of Edges while it generates requests.
type throw struct {
	policy limit.Policy
	random *rand.Rand
	atUS   int64
	steps  bool
	skewUS int64 // of the clocks
	all    []limit.Request
}

// longestBurst is the most requests at one instant, so that a large limit still has more than one episode.
const longestBurst = 400

// episode adds a burst or a series at equal intervals, after a wait. Most of its requests have the same key.
func (t *throw) episode() {
	t.wait()
	if t.steps && t.random.IntN(12) == 0 {
		w := t.policy.WindowUS()
		span := one(t.random, 1, 5_000, w+1, 3*w+1, 3_000_000)
		t.skewUS = t.random.Int64N(2*span-1) - span + 1
	}
	capacity := t.policy.Capacity()
	n := 1 + t.random.Int64N(3)
	if t.random.IntN(6) == 0 {
		n = one(t.random, capacity-1, capacity, capacity+1, 1+t.random.Int64N(2*capacity))
		n = min(max(n, 1), longestBurst)
	}
	stepUS := int64(0)
	if t.random.IntN(2) == 0 {
		stepUS = t.step()
	}
	key := t.random.IntN(edgeKeys)
	for range n {
		if t.random.IntN(8) == 0 {
			t.send(t.random.IntN(edgeKeys))
		} else {
			t.send(key)
		}
		t.atUS += stepUS
	}
}

// step returns the time between two requests of a series: a token interval, divided by a factor between 0.5 and 10.
func (t *throw) step() int64 {
	us, tokens := t.policy.Interval()
	return max(0, us/tokens*one(t.random, 1, 5, 9, 10, 11, 20)/10+one(t.random, -1, 0, 1))
}

// wait advances the time before an episode: by nothing, by a token interval or a part of a window, or to the edge of an
// aligned window.
func (t *throw) wait() {
	window := t.policy.WindowUS()
	us, tokens := t.policy.Interval()
	near := one(t.random, -1000, -1, 0, 0, 1, 1000)
	switch t.random.IntN(5) {
	case 0:
	case 1:
		t.atUS += max(0, us/tokens+near)
	case 2:
		t.atUS += max(0, window*one(t.random, 1, 2, 4, 8)/4+near)
	default:
		t.atUS = max(t.atUS, (t.atUS/window+1)*window+near)
	}
}

// send adds one request. Most cost 1, some cost the limit or one more.
func (t *throw) send(key int) {
	cost := int64(1)
	if t.random.IntN(10) == 0 {
		capacity := t.policy.Capacity()
		cost = max(1, one(t.random, 2, 3, capacity/2, capacity, capacity+1))
	}
	t.all = append(t.all, limit.Request{AtUS: t.atUS, Key: fmt.Sprintf("key-%d", key), Cost: cost,
		ClientSkewUS: t.skewUS, ServerSkewUS: t.skewUS})
}

// one returns one of several values, with equal probability.
func one(r *rand.Rand, of ...int64) int64 { return of[r.IntN(len(of))] }
