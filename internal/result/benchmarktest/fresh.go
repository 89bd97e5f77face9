package benchmarktest

import (
	"sync"

	"ratelab/internal/result"
)

// Once is the example, made once. What changes it takes Fresh.
var Once = sync.OnceValue(Example)

// Fresh is a copy of the example whose lists may be changed, but not its histograms.
func Fresh() *result.Document { return result.WithoutNulls(Once()) }

// Small is a part of the example, for what would take long with all of it.
func Small() *result.Document {
	r := Fresh()
	r.Runs, r.Latency = r.Runs[:1], r.Latency[:1]
	r.Runs[0].Results = r.Runs[0].Results[:1]
	r.Latency[0].Intervals = nil
	return r
}
