package result

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/measure"
)

// CSV, benchmarks and Compare know every measure that a row has.
func TestMeasuresAreComplete(t *testing.T) {
	f := new(measure.Figures)
	got := []string{"algorithm", "script_sha1", "parameters", "decisions_digest", "differs_from_exact"}
	for _, v := range slices.Concat(Counts(f), Extras(f), Composites(f), Rates(f)) {
		got = append(got, v.Name)
	}
	slices.Sort(got)
	want := jsonNames(reflect.TypeOf(Row{}))
	for _, m := range derived() {
		want = append(want, m.Name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-fields of Row +measures):\n%s", diff)
	}
}
