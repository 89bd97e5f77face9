package change

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// Generated is how many requests are generated at each limit.
const Generated = 10_000

// generated is random traffic that seeks what a limiter's rules turn on: bursts of the limit's size and one more or
// less, gaps of a permit, of half a window and of a whole one, the edges of aligned windows, and one microsecond to
// either side of each, in several keys and with several costs.
type generated struct {
	policy   limit.Policy
	seed     uint64
	requests int
}

// generatedKeys is how many keys there are.
const generatedKeys = 3

// Requests implements replay.Traffic.
func (g generated) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		t := throw{generated: g, random: rand.New(rand.NewPCG(g.seed, uint64(g.policy.Requests))), yield: yield}
		for t.count < g.requests && !t.over {
			t.episode()
		}
	}
}

// Duration is not known: nobody asks for it.
func (g generated) Duration() (time.Duration, bool) { return 0, false }

// throw is the traffic on its way.
type throw struct {
	generated
	random *rand.Rand
	yield  func(limit.Request, error) bool
	atUS   int64
	count  int
	over   bool // nobody wants more
}

// longestBurst is how many requests come at one instant at the most, so that an episode of a large limit is not all
// there is.
const longestBurst = 400

// episode is a burst or a steady run, after some wait, mostly of one key.
func (t *throw) episode() {
	t.wait()
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
	key := t.random.IntN(generatedKeys)
	for range n {
		if t.random.IntN(8) == 0 {
			t.send(t.random.IntN(generatedKeys))
		} else {
			t.send(key)
		}
		t.atUS += stepUS
	}
}

// step is the time between two requests of a steady run: a permit's interval, at several times the rate.
func (t *throw) step() int64 {
	us, permits := t.policy.Interval()
	return max(0, us/permits*one(t.random, 1, 5, 9, 10, 11, 20)/10+one(t.random, -1, 0, 1))
}

// wait lets time go by before an episode: nothing, a permit's interval, or a part of a window; or until the edge of an
// aligned window.
func (t *throw) wait() {
	window := t.policy.WindowUS()
	us, permits := t.policy.Interval()
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
	if t.over || t.count == t.requests {
		return
	}
	cost := int64(1)
	if t.random.IntN(10) == 0 {
		capacity := t.policy.Capacity()
		cost = max(1, one(t.random, 2, 3, capacity/2, capacity, capacity+1))
	}
	t.count++
	t.over = !t.yield(limit.Request{AtUS: t.atUS, Key: fmt.Sprintf("key-%d", key), Cost: cost}, nil)
}

// one is one of several, each as likely.
func one(r *rand.Rand, of ...int64) int64 { return of[r.IntN(len(of))] }
