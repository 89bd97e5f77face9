package bench

import (
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/result"
)

// tallying is a limiter of costLimit, whose keys all its callers share.
type tallying struct{ permits map[string]int64 }

func (c *tallying) Call(q limit.Request) (load.Outcome, error) {
	allowed := c.permits[q.Key] < costLimit.Capacity()
	if allowed {
		c.permits[q.Key]++
	}
	return outcome(allowed), nil
}

// outcome is that of a call which is answered at once.
func outcome(allowed bool) (o load.Outcome) {
	if allowed {
		o.Decision.Verdict = limit.Allowed
	}
	return o
}

// Whatever the workers' pace, each mix admits the share that it is to.
func TestMixesComeOut(t *testing.T) {
	for _, mix := range result.Mixes() {
		limiter := &tallying{map[string]int64{}}
		if err := exhaust(mix, limiter); err != nil {
			t.Fatal(err)
		}
		workers := mixers(mix, []load.Caller{limiter, limiter, limiter})
		admitted := [3]int{}
		calls := [3]int{10_000, 151, 1}
		for n := range calls[0] {
			for i, w := range workers {
				if n >= calls[i] {
					continue
				}
				out, err := w.Call(limit.Request{})
				if err != nil {
					t.Fatal(err)
				}
				if out.Decision.Allowed() {
					admitted[i]++
				}
			}
		}
		for i, n := range calls {
			if want := wantedShare(mix) * float64(n); float64(admitted[i]) < want || float64(admitted[i]) > want+0.5 {
				t.Errorf("%s: worker %d got %d of %d admitted, want %v", mix, i, admitted[i], n, want)
			}
		}
	}
}

// No key of the accepted mix is asked for more often than its limit, and no two workers share one.
func TestFreshKeysAreUsedToTheirLimit(t *testing.T) {
	limiter := &tallying{map[string]int64{}}
	for _, w := range mixers(result.MixAccepted, []load.Caller{limiter, limiter}) {
		for range 1000 {
			if out, _ := w.Call(limit.Request{}); !out.Decision.Allowed() {
				t.Fatalf("%s was rejected", w.fresh)
			}
		}
	}
	if len(limiter.permits) != 2*1000/100 {
		t.Errorf("%d keys, want 20: %v", len(limiter.permits), limiter.permits)
	}
}

// generous admits all.
type generous struct{ calls int }

func (g *generous) Call(limit.Request) (load.Outcome, error) {
	g.calls++
	return outcome(true), nil
}

func TestExhaustGivesUp(t *testing.T) {
	g := &generous{}
	if err := exhaust(result.MixRejected, g); err != nil || g.calls != mostToExhaust+1 {
		t.Errorf("%d calls, %v; want %d and no error", g.calls, err, mostToExhaust+1)
	}
}
