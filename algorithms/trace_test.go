package algorithms

import (
	"testing"

	"ratelab/algorithms/algotest"
)

// Every model decides its hand-worked traces, in every field.
func TestModelsFollowTheWorkedTraces(t *testing.T) {
	traces, err := algotest.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range traces {
		t.Run(trace.Name, func(t *testing.T) {
			for _, line := range trace.Check(modelOf(t, trace.Label, trace.Policy)) {
				t.Error(line)
			}
		})
	}
}
