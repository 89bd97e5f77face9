package curves

import (
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// scaled is a run under 10 per 3 s with one row, looked at in four intervals.
func scaled(most, bound []int64) *result.Run {
	return &result.Run{Limit: result.Limit{Requests: 10, WindowUS: 3_000_000, Burst: 10},
		TimeScales: &result.TimeScales{IntervalUS: []int64{1000, 2_000_000, 3_000_000, 6_000_000},
			Limit: []int64{10, 16, 20, 30}},
		Results: []result.Row{{Algorithm: "=mine", Figures: measure.Figures{MostAdmitted: most, Bound: bound}}}}
}

// A fact says how much more than the limit there was in its window, and in how short a time.
func TestTimescaleFacts(t *testing.T) {
	for want, most := range map[string][]int64{
		"within the limit":                     {1, 5, 10, 20},
		"1.80 × only over 3 s":                 {1, 10, 18, 20},
		"1.80 × the limit within 1 ms":         {18, 18, 18, 20},
		"1.80 × over 3 s, above 1 × in 2 s":    {1, 11, 18, 20},
		"200.00 × over 2 s, above 1 × in 1 ms": {11, 1990, 2000, 2000}, // a hundredth of the overshoot does not count
	} {
		if got := NewTimescale(scaled(most, nil)).Curves[0]; got.Fact != want || got.Top != most[2] {
			t.Errorf("%v: %d, %q; want %q", most, got.Top, got.Fact, want)
		}
	}
}

// Rows that were not looked at in every interval have no curve, and a bound is one for every interval.
func TestTimescaleRows(t *testing.T) {
	run := scaled([]int64{1, 2, 3, 4}, []int64{10, 16, 20, 30})
	run.Results = append(run.Results, result.Row{Algorithm: "unknown"},
		result.Row{Algorithm: "free", Figures: measure.Figures{MostAdmitted: []int64{2, 2, 2, 2}}})
	s := NewTimescale(run)
	if len(s.Curves) != 2 || s.Curves[1].Label != "free" || s.Curves[1].Bound != nil || s.Window != 2 {
		t.Errorf("%+v", s)
	}
	want := "interval_us,'=mine,free,limit,'=mine bound,free bound\n" +
		"1000,1,2,10,10,\n2000000,2,2,16,16,\n3000000,3,2,20,20,\n6000000,4,2,30,30,\n"
	if got := string(s.CSV()); got != want {
		t.Errorf("data:\n%s\nwant\n%s", got, want)
	}
	run.Results = run.Results[1:2]
	if s := NewTimescale(run); s != nil {
		t.Errorf("%+v", s)
	}
	if s := NewTimescale(&result.Run{}); s != nil {
		t.Errorf("%+v", s)
	}
}
