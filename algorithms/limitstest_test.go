package algorithms_test

import (
	"math/rand/v2"
	"testing"

	"ratelab/algorithms"
	"ratelab/algorithms/limitstest"
)

// Every number and duration that an algorithm declares is drawn now and then, with more values than its default, and
// whatever is drawn is legal.
func TestEveryParameterIsDrawn(t *testing.T) {
	for _, algorithm := range algorithms.All() {
		r, seen := rand.New(rand.NewPCG(1, 1)), map[string]map[string]bool{}
		for range 300 {
			label, p := limitstest.Random(r, &algorithm)
			for name, value := range limiter(t, label, p).Parameters {
				if seen[name] == nil {
					seen[name] = map[string]bool{}
				}
				seen[name][value] = true
			}
		}
		for _, p := range algorithm.Parameters {
			if p.Kind != algorithms.Name && len(seen[p.Name]) < 2 {
				t.Errorf("%s: of %s only %v is drawn", algorithm.Name, p.Name, seen[p.Name])
			}
		}
	}
}
