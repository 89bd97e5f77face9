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
	for _, spec := range algorithms.All() {
		r, seen := rand.New(rand.NewPCG(1, 1)), map[string]map[string]bool{}
		for range 300 {
			label, p := limitstest.Random(r, &spec)
			for name, value := range instance(t, label, p).Parameters {
				if seen[name] == nil {
					seen[name] = map[string]bool{}
				}
				seen[name][value] = true
			}
		}
		for _, p := range spec.Parameters {
			if p.Kind != algorithms.Name && len(seen[p.Name]) < 2 {
				t.Errorf("%s: of %s only %v is drawn", spec.Name, p.Name, seen[p.Name])
			}
		}
	}
}
