package benchmarktest

import (
	"sync"

	"ratelab/internal/result"
)

// Once is the example, made once. What changes it takes Fresh.
var Once = sync.OnceValue(Example)

// Fresh is a copy of the example whose lists may be changed, but not its histograms.
func Fresh() *result.Benchmark {
	c := result.WithoutNulls(*Once()).(result.Benchmark)
	return &c
}

// Small is a part of the example, for what would take long with all of it.
func Small() *result.Benchmark {
	r := Fresh()
	r.Runs, r.Costs = r.Runs[:1], r.Costs[:1]
	r.Runs[0].Rows = r.Runs[0].Rows[:1]
	r.Runs[0].Rows[0].Open.Intervals = nil
	return r
}
