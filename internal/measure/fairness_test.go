package measure

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Each figure is what its definition says, computed key by key.
func TestFairnessIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, run := drawRun(t)
		keys, sums, names := NewKeySet(), &KeySums{}, []string(nil)
		for _, o := range run {
			number := keys.Add(o.Key)
			if number == int64(len(names)) {
				names = append(names, o.Key)
			}
			sums.Observe(number, o.Cost, o.admitted(), o.exact)
		}
		got, want := sums.Fairness(names), fairnessOracle(run, len(names))
		if got != nil && want != nil && math.Abs(got.JainIndex-want.JainIndex) < 1e-12 {
			got.JainIndex = want.JainIndex // the order of its sums is not part of the definition
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

func fairnessOracle(run []observation, keys int) *Fairness {
	var f Fairness
	var served []float64
	for _, key := range []string{"a", "b", "c"} {
		var mine, exact, requests, admits, rejects float64
		for _, o := range run {
			if o.Key != key {
				continue
			}
			requests++
			if o.admitted() {
				mine += float64(o.Cost)
			}
			if o.exact {
				exact += float64(o.Cost)
			}
			if o.admitted() && !o.exact {
				admits++
			}
			if !o.admitted() && o.exact {
				rejects++
			}
		}
		f.KeysFalselyAdmitted += int64(min(admits, 1))
		f.KeysFalselyRejected += int64(min(rejects, 1))
		f.WorstKeyWrong = max(f.WorstKeyWrong, (admits+rejects)/max(requests, 1))
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

// One of two keys gets nothing: the index is a half, and it is named.
func TestFairnessWorkedByHand(t *testing.T) {
	s := &KeySums{}
	s.Observe(0, 2, true, false)
	s.Observe(0, 2, true, true)
	s.Observe(1, 1, false, true)
	s.Observe(1, 1, false, false)
	want := &Fairness{Keys: 2, JainIndex: 0.5, WorstKey: "starved", WorstServed: 0, BestServed: 2,
		KeysFalselyAdmitted: 1, KeysFalselyRejected: 1, WorstKeyWrong: 0.5}
	if diff := cmp.Diff(want, s.Fairness([]string{"greedy", "starved"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Beyond so many keys there is none, and no memory is spent.
func TestFairnessEndsAtTooManyKeys(t *testing.T) {
	s := &KeySums{}
	s.Observe(0, 1, true, true)
	s.Observe(MaxFairKeys, 1, true, true)
	if len(s.sums) != 1 {
		t.Errorf("sums of %d keys", len(s.sums))
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
