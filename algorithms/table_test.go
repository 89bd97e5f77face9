package algorithms

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"ratelab/internal/longtest"
)

// A table knows what a map knows, whatever keys come and go.
func TestATableKnowsWhatAMapKnows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range longtest.Of(200, 40) {
		var ours table[int]
		theirs, names := map[string]int{}, 1+random.IntN(300)
		for step := range 2000 {
			key := strconv.Itoa(random.IntN(names))
			switch s := ours.find(key); {
			case step%500 == 499:
				odd := func(state int) bool { return state%2 == 1 }
				ours.drop(func(s *int) bool { return odd(*s) })
				for key, state := range theirs {
					if odd(state) {
						delete(theirs, key)
					}
				}
			case s == nil:
				*ours.add(key), theirs[key] = step, step
			default:
				*s++
				theirs[key]++
			}
		}
		if len(ours.entries) != len(theirs) {
			t.Fatalf("%d keys; want %d", len(ours.entries), len(theirs))
		}
		for key, want := range theirs {
			if s := ours.find(key); s == nil || *s != want {
				t.Fatalf("key %s: %v; want %d", key, s, want)
			}
		}
	}
}

// Keys of one hash, at the end of the slots, are told apart by their names.
func TestATableTellsKeysOfOneHashApart(t *testing.T) {
	var ours table[string]
	const hash = 1<<32 - 1
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if ours.look(key, hash) != nil {
			t.Errorf("%s is there before it came", key)
		}
		*ours.put(key, hash) = key
	}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if s := ours.look(key, hash); s == nil || *s != key {
			t.Errorf("%s: %v", key, s)
		}
	}
}
