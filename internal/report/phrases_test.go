package report

import (
	"slices"
	"testing"

	"ratelab/internal/result"
)

func TestExpectationsAreSummedUp(t *testing.T) {
	yes, no, got := true, false, 7.0
	met := result.Expectation{Algorithm: "gcra", Measure: "admitted", Want: "7", Got: &got, Met: &yes}
	missed := result.Expectation{Algorithm: "gcra", Measure: "admitted", Want: "8", Got: &got, Met: &no}
	unchecked := result.Expectation{Algorithm: "none", Measure: "admitted", Want: "9"}
	for _, c := range []struct {
		of   []result.Expectation
		want []string
	}{
		{nil, nil},
		{[]result.Expectation{met}, []string{"1 of 1 expectation met."}},
		{[]result.Expectation{met, missed}, []string{"MISSED: gcra: admitted is 7, expected 8",
			"1 of 2 expectations met."}},
		{[]result.Expectation{met, unchecked}, []string{"1 of 1 expectation met, 1 not checked."}},
		{[]result.Expectation{unchecked, unchecked}, []string{"2 expectations, none of them checked."}},
	} {
		r := result.Run{Expectations: c.of}
		var lines []string
		for _, l := range expectationLines(&r, "") {
			lines = append(lines, l.Text)
		}
		if !slices.Equal(lines, c.want) {
			t.Errorf("got %q, want %q", lines, c.want)
		}
	}
}
