package algorithms_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
)

// Every limit up to a million a day, with a burst as large, is accepted by every algorithm, and its script decides as
// its model does: also where requests and window have no factor in common. The managed bucket refuses those of which
// its units are more than 2^53.
func TestLimitsUpToAMillionADayAreExact(t *testing.T) {
	longtest.Skip(t, "plays hundreds of limits")
	s := redistest.Embedded(t)
	outer, run := t, 0 // rapid's has no context
	for _, algorithm := range algorithms.All() {
		t.Run(algorithm.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := limit.Policy{
					Requests: rapid.OneOf(rapid.SampledFrom([]int64{700_001, 999_983, 333_333, 104_249, 1_000_000}),
						rapid.Int64Range(1, 1_000_000)).Draw(t, "requests"),
					Window: time.Microsecond * time.Duration(rapid.OneOf(rapid.Just(int64(86400e6)),
						rapid.Int64Range(60e6, 86400e6)).Draw(t, "window")),
				}
				choice, err := algorithms.Parse(algorithm.Name)
				if err != nil {
					t.Fatal(err)
				}
				w, l := p.Interval()
				in, err := choice.Under(p)
				if algorithm.Name == "token-bucket" && p.Requests*w+1_000_000*l >= 1<<53 {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				if algorithm.Traits.Timed { // a token's time is rounded up
					w, l = (16*p.WindowUS()+p.Requests-1)/p.Requests, 16
				}
				random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				requests, want := algotest.RandomRequests(random, p, in.NewModel())
				requests, want = requests[:60], want[:60]
				run++
				got := serverDecides(outer, s, in, fmt.Sprintf("large-%d:", run), requests)
				reference := exactBuckets{p.Capacity(), w, l, map[string]*big.Int{}}
				for i, q := range requests {
					if got[i] != want[i] {
						t.Fatalf("step %d, %+v: the script: %s; the model: %s", i, q, algotest.Describe(got[i]),
							algotest.Describe(want[i]))
					}
					if algorithm.Family != "bucket" && algorithm.Family != "shaper" || algorithm.Traits.Grid {
						continue
					}
					if exact := reference.decide(q, algorithm.Family == "shaper"); want[i] != exact {
						t.Fatalf("step %d, %+v: the model: %s; exactly: %s", i, q, algotest.Describe(want[i]),
							algotest.Describe(exact))
					}
				}
			})
		})
	}
}

// exactBuckets decides as a bucket that refills continuously must, in numbers of any size: for each key, when it will
// be full again, in units of 1/l µs.
type exactBuckets struct {
	capacity, w, l int64
	full           map[string]*big.Int
}

func (b exactBuckets) decide(q limit.Request, delays bool) limit.Decision {
	w, l := b.w, b.l
	product := func(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }
	// over is ⌊x/y⌋, and over less of −x is ⌈x/y⌉: Div rounds down where y is positive
	over := func(x *big.Int, y int64) int64 { return new(big.Int).Div(x, big.NewInt(y)).Int64() }
	up := func(x *big.Int, y int64) int64 { return -over(new(big.Int).Neg(x), y) }

	capacity, taken, used := product(b.capacity, w), product(q.Cost, w), new(big.Int)
	if at := b.full[q.Key]; at != nil {
		if used.Sub(at, product(q.AtUS, l)); used.Sign() < 0 {
			used.SetInt64(0)
		}
	}
	after := new(big.Int).Add(used, taken)
	surplus := new(big.Int).Sub(after, capacity)
	d := limit.Decision{RetryAfterUS: limit.Never}
	switch {
	case surplus.Sign() <= 0:
		d.Verdict, d.RetryAfterUS = limit.Allowed, 0
		if delays {
			d.DelayUS = up(used, l)
		}
		b.full[q.Key] = new(big.Int).Add(product(q.AtUS, l), after)
		used = after
	case q.Cost <= b.capacity:
		d.RetryAfterUS = up(surplus, l)
	}
	d.Remaining, d.ResetAfterUS = over(new(big.Int).Sub(capacity, used), w), up(used, l)
	return d
}
