package traffic

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// Edges is random traffic that seeks what a limiter's rules turn on: bursts of the limit's size and one more or less,
// gaps of a permit, of half a window and of a whole one, the edges of aligned windows, and one microsecond to either
// side of each, in several keys and with several costs.
type Edges struct {
	Policy limit.Policy
	Seed   uint64
}

// edgeRequests is how many requests Edges has, and edgeKeys is in how many keys.
const (
	edgeRequests = 10_000
	edgeKeys     = 3
)

// Requests implements replay.Traffic.
func (e Edges) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		t := throw{Edges: e, random: rand.New(rand.NewPCG(e.Seed, uint64(e.Policy.Requests)))}
		for len(t.all) < edgeRequests {
			t.episode()
		}
		for _, q := range t.all[:edgeRequests] {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// Duration ends with the last request.
func (e Edges) Duration() (time.Duration, bool) {
	var last int64
	for q := range e.Requests() {
		last = q.AtUS
	}
	return time.Duration(last+1) * time.Microsecond, true
}

// throw is the traffic on its way.
type throw struct {
	Edges
	random *rand.Rand
	atUS   int64
	all    []limit.Request
}

// longestBurst is how many requests come at one instant at the most, so that an episode of a large limit is not all
// there is.
const longestBurst = 400

// episode is a burst or a steady run, after some wait, mostly of one key.
func (t *throw) episode() {
	t.wait()
	capacity := t.Policy.Capacity()
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

// step is the time between two requests of a steady run: a permit's interval, at several times the rate.
func (t *throw) step() int64 {
	us, permits := t.Policy.Interval()
	return max(0, us/permits*one(t.random, 1, 5, 9, 10, 11, 20)/10+one(t.random, -1, 0, 1))
}

// wait lets time go by before an episode: nothing, a permit's interval, or a part of a window; or until the edge of an
// aligned window.
func (t *throw) wait() {
	window := t.Policy.WindowUS()
	us, permits := t.Policy.Interval()
	near := one(t.random, -1000, -1, 0, 0, 1, 1000)
	switch t.random.IntN(5) {
	case 0:
	case 1:
		t.atUS += max(0, us/permits+near)
	case 2:
		t.atUS += max(0, window*one(t.random, 1, 2, 4, 8)/4+near)
	default:
		t.atUS = max(t.atUS, (t.atUS/window+1)*window+near)
	}
}

// send is one request. Most cost 1, some as much as the limit has, or one more than that.
func (t *throw) send(key int) {
	cost := int64(1)
	if t.random.IntN(10) == 0 {
		capacity := t.Policy.Capacity()
		cost = max(1, one(t.random, 2, 3, capacity/2, capacity, capacity+1))
	}
	t.all = append(t.all, limit.Request{AtUS: t.atUS, Key: fmt.Sprintf("key-%d", key), Cost: cost})
}

// one is one of several, each as likely.
func one(r *rand.Rand, of ...int64) int64 { return of[r.IntN(len(of))] }
