package benchmarktest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

// The example is the same on every call, and each call's is its own.
func TestExampleIsTheSameEachTime(t *testing.T) {
	same := cmp.Comparer(func(a, b *result.Histogram) bool {
		return a == b || a != nil && b != nil && a.Equals(b.Histogram)
	})
	first, second := benchmarktest.Example(), benchmarktest.Example()
	if diff := cmp.Diff(first, second, same); diff != "" {
		t.Errorf("two calls differ:\n%s", diff)
	}
	first.Runs[0].Results[0].Algorithm = "changed"
	first.Latency[0].Rounds[0].Admitted = -1
	if diff := cmp.Diff(benchmarktest.Example(), second, same); diff != "" {
		t.Errorf("two calls share a row or a figure:\n%s", diff)
	}
}
