package measure

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// account is the run's, with the names of its keys.
func account(p limit.Policy, run []observation) (*Account, []string) {
	keys, a, names := NewKeySet(), &Account{Offered: &Ledger{}}, []string(nil)
	for _, o := range run {
		number := keys.Add(o.Key)
		if number == int64(len(names)) {
			names = append(names, o.Key)
		}
		a.Offered.Add(number, o.Cost)
	}
	m := NewMeter(p, 0)
	a.Exact = observe(m, p, run)
	a.Admitted, a.Excess = m.Admitted(), m.Excess()
	return a, names
}

// Each figure is what its definition says, computed key by key.
func TestFairnessIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _, run := drawRun(t)
		a, names := account(p, run)
		got, want := a.Served(names, p.Requests).Fairness(int64(len(names))), fairnessOracle(p, run, len(names))
		if got != nil && want != nil && math.Abs(got.JainIndex-want.JainIndex) < 1e-12 {
			got.JainIndex = want.JainIndex // the order of its sums is not part of the definition
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

func fairnessOracle(p limit.Policy, run []observation, keys int) *Fairness {
	var f Fairness
	var served []float64
	for _, key := range []string{"a", "b", "c"} {
		var all []observation
		for _, o := range run {
			if o.Key == key {
				all = append(all, o)
			}
		}
		var r Result
		contractOracle(p, all, &r)
		var offered, mine float64
		for _, o := range all {
			offered += float64(o.Cost)
			if o.admitted() {
				mine += float64(o.Cost)
			}
		}
		exact, busy := float64(r.ExactCost), offered >= float64(p.Requests)
		if r.Excess > 0 {
			f.KeysOver++
			if x := float64(r.Excess) / mine; busy && (f.Over == nil || x > f.Over.Share) {
				f.Over = &KeyShare{key, x}
			}
		}
		if r.Lost > 0 {
			f.KeysShort++
			if x := r.Lost; busy && (f.Short == nil || x > f.Short.Share) {
				f.Short = &KeyShare{key, x}
			}
		}
		if exact == 0 {
			continue
		}
		if x := mine / exact; len(served) == 0 || x < f.WorstServed {
			f.WorstKey, f.WorstServed = key, x
		}
		served = append(served, mine/exact)
		f.BestServed = max(f.BestServed, mine/exact)
	}
	if keys < 2 || len(served) == 0 {
		return nil
	}
	f.Keys, f.JainIndex = int64(len(served)), jain(served)
	return &f
}

func jain(served []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range served {
		sum, squares = sum+x, squares+x*x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(served)) * squares)
}

// One of two keys gets nothing: the index is a half, and it is named. The limit is 3 per second; greedy sends 2 and 2,
// both of which are let through, one beyond the contract; starved sends 2 and 2, none of which is.
func TestFairnessWorkedByHand(t *testing.T) {
	var run []observation
	for _, key := range []string{"greedy", "starved"} {
		for range 2 {
			o := observation{Request: limit.Request{Key: key, Cost: 2}}
			if key == "greedy" {
				o.verdict = limit.Allowed
			}
			run = append(run, o)
		}
	}
	a, names := account(limit.Policy{Requests: 3, Window: time.Second}, run)
	want := &Fairness{Keys: 2, JainIndex: 0.5, WorstKey: "starved", WorstServed: 0, BestServed: 2,
		KeysOver: 1, KeysShort: 1, Over: &KeyShare{"greedy", 0.5}, Short: &KeyShare{"starved", 1}}
	if diff := cmp.Diff(want, a.Served(names, 3).Fairness(int64(len(names)))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if f := a.Served(names, 5).Fairness(int64(len(names))); f.Over != nil || f.Short != nil || f.KeysOver != 1 {
		t.Errorf("keys that offer less than the limit are named: %+v", f)
	}
	if f := a.Served(nil, 3).Fairness(0); f != nil {
		t.Errorf("without names: %+v", f)
	}
}

// A key's number is how many others came before it, however often it comes.
func TestKeysAreNumberedInTheirOrder(t *testing.T) {
	s := NewKeySet()
	for i, c := range []struct {
		key  string
		want int64
	}{{"b", 0}, {"b", 0}, {"a", 1}, {"b", 0}, {"", 2}, {"a", 1}, {"c", 3}} {
		if got := s.Add(c.key); got != c.want {
			t.Errorf("%d: key %q has number %d; want %d", i, c.key, got, c.want)
		}
	}
	if s.Count() != 4 {
		t.Errorf("%d keys", s.Count())
	}
}
