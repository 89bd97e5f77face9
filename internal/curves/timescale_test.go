package curves

import (
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// A fact says how much more than the limit was admitted in its window, and from what length of an interval on. Rows
// that were not measured in every interval have no curve.
func TestTimescale(t *testing.T) {
	for want, most := range map[string][]int64{
		"within the limit":                    {1, 5, 10, 20},
		"1.80 × the limit, above it in 1 ms":  {18, 18, 18, 20},
		"1.80 × the limit, above it in 2 s":   {1, 11, 18, 20},
		"200.00 × the limit, above it in 3 s": {1, 10, 2000, 2000},
	} {
		run := &result.Run{Limit: result.Limit{Requests: 10, WindowUS: 3_000_000, Burst: 10},
			TimeScales: &result.TimeScales{IntervalUS: []int64{1000, 2_000_000, 3_000_000, 6_000_000},
				Limit: []int64{10, 10, 10, 20}},
			Results: []result.Row{{Algorithm: "=mine", Figures: measure.Figures{MostAdmitted: most}},
				{Algorithm: "unknown"}}}
		s := NewTimescale(run)
		if len(s.Curves) != 1 || s.Curves[0].Fact != want || s.Curves[0].Top != most[2] {
			t.Errorf("%v: %+v; want %q", most, s.Curves, want)
		}
		data := "interval_us,'=mine,limit\n1000,1,10\n2000000,5,10\n3000000,10,10\n6000000,20,20\n"
		if got := string(s.CSV()); most[1] == 5 && got != data {
			t.Errorf("data:\n%s\nwant\n%s", got, data)
		}
		run.Results = run.Results[1:]
		if s := NewTimescale(run); s != nil {
			t.Errorf("%+v", s)
		}
	}
	if s := NewTimescale(&result.Run{}); s != nil {
		t.Errorf("%+v", s)
	}
}
