package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// served is what each key of a run was admitted, and would be by an exact limiter.
func served(p limit.Policy, run []observation) (*Served, int64) {
	keys, names := NewKeySet(), []string(nil)
	for _, o := range run {
		if keys.Add(o.Key) == int64(len(names)) {
			names = append(names, o.Key)
		}
	}
	m := NewMeter(p, 0)
	exact, _ := observe(m, p, run)
	return NewServed(exact, m.Admitted(), names), keys.Count()
}

// Each figure is what its definition says, computed key by key.
func TestFairnessIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _, run := drawRun(t)
		s, keys := served(p, run)
		got, want := s.Fairness(keys), fairnessOracle(p, run, int(keys))
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
		var mine float64
		for _, o := range all {
			if o.admitted() {
				mine += float64(o.Cost)
			}
		}
		exact := float64(r.ExactCost)
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
	f.Keys = int64(len(served))
	return &f
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
