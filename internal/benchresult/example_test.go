package benchresult_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

// The example is the same on every call, and each call's is its own.
func TestExampleIsTheSameEachTime(t *testing.T) {
	same := cmp.Comparer(func(a, b *benchresult.Histogram) bool {
		return a == b || a != nil && b != nil && a.Equals(b.Histogram)
	})
	first, second := benchresulttest.Example(), benchresulttest.Example()
	if diff := cmp.Diff(first, second, same); diff != "" {
		t.Errorf("two calls differ:\n%s", diff)
	}
	first.Runs[0].Rows[0].Algorithm = "changed"
	*first.Runs[0].Rows[0].Open.ServerUSPerCall = -1
	if diff := cmp.Diff(benchresulttest.Example(), second, same); diff != "" {
		t.Errorf("two calls share a row or a figure:\n%s", diff)
	}
	if diff := cmp.Diff(benchresulttest.Paired(1.2), benchresulttest.Paired(1.2), same); diff != "" {
		t.Errorf("two calls differ:\n%s", diff)
	}
}
