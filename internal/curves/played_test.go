package curves

import (
	"fmt"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// after is a histogram of n answers after us.
func after(n int, us int64) *result.Histogram {
	h := result.NewHistogram()
	for range n {
		_ = h.RecordValue(us)
	}
	return h
}

// playedRow is a row of two rounds over buckets of one second.
func playedRow(label string, offered, admitted, rolling []int64,
	intervals ...result.Interval) result.Latency {
	row := result.Latency{Rounds: make([]result.Round, 2),
		Course: &result.Course{BucketUS: 1_000_000, Offered: offered, Admitted: admitted, Rolling: rolling}}
	row.Algorithm, row.Intervals = label, intervals
	return row
}

func interval(startUS int64, admitted, rejected *result.Histogram) result.Interval {
	return result.Interval{StartUS: startUS, WidthUS: 1_000_000, Admitted: admitted, Rejected: rejected}
}

// play is a stretch from 59 s on that ends in the middle of its third bucket.
func play(rows ...result.Latency) *Played {
	run := result.Run{Played: &result.Part{FromUS: 59_000_000, LengthUS: 2_500_000},
		Limit: result.Limit{Requests: 4, WindowUS: 2_000_000}}
	for _, row := range rows {
		run.Results = append(run.Results, result.Row{Algorithm: row.Algorithm})
	}
	return NewPlayed(&result.Document{Latency: rows}, &run)
}

// Two rounds offered 10 in the first second: 5 a second. The last bucket has half a second. The intervals have 200, 99
// and 9 answers, and the second one nothing rejected; what begins after the end is not there.
func TestPlayedByHand(t *testing.T) {
	p := play(
		playedRow("none", []int64{10, 4, 2}, []int64{10, 4, 2}, []int64{5, 7, 3}),
		playedRow("mine", []int64{10, 4, 2}, []int64{8, 0, 2}, []int64{4, 7},
			interval(0, after(200, 70), after(10, 90)), interval(1_000_000, after(99, 80), nil),
			interval(2_000_000, after(9, 80), nil), interval(9_000_000, after(100, 80), nil)))
	if len(p.Rows) != 1 || p.FromUS != 59_000_000 || p.EndUS != 61_500_000 || p.LimitPerS() != 2 {
		t.Fatalf("%+v", p)
	}
	got := fmt.Sprint(p.Rows[0])
	want := "{{mine [4 7 0] 7 1.75 × the limit []} [5 2 2] [4 0 2] {[70 80 0] [70 0 0] 0 0} {[90 0 0] [0 0 0] 0 0}}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The floor is shown alone, and without a course, or with nothing offered, there is nothing to show.
func TestPlayedRows(t *testing.T) {
	one := []int64{1}
	if p := play(playedRow("none", one, one, one)); p == nil || p.Rows[0].Label != "none" ||
		p.Rows[0].Fact != "within the limit" || p.IntervalUS != 0 {
		t.Errorf("none alone: %+v", p)
	}
	if p := play(result.Latency{}, playedRow("mine", []int64{0}, one, one)); p != nil {
		t.Errorf("of nothing: %+v", p)
	}
}

// Rows whose last reply came so late that their buckets are wider stand on the same axis.
func TestPlayedWidths(t *testing.T) {
	wide := playedRow("wide", []int64{6, 2}, []int64{6, 2}, []int64{3, 1})
	wide.Course.BucketUS = 2_000_000
	p := play(playedRow("fine", []int64{4, 2, 2}, []int64{4, 2, 2}, []int64{2, 3, 1}), wide)
	if p.RateUS != 2_000_000 || p.EndUS != 61_500_000 {
		t.Fatalf("%+v", p)
	}
	for _, row := range p.Rows {
		if row.OfferedPerS[0] != 1.5 || row.Values[0] != 3 {
			t.Errorf("%+v", row)
		}
	}
}

// A median that is shorter in the busiest interval is told; one that is longer, or is of the same rate, is not.
func TestFasterWhenBusy(t *testing.T) {
	for _, c := range []struct {
		perS, p50 []float64
		want      bool
	}{
		{[]float64{10, 100}, []float64{400, 200}, true},
		{[]float64{10, 100}, []float64{200, 400}, false},
		{[]float64{10, 100}, []float64{400, 390}, false},
		{[]float64{100, 100}, []float64{400, 200}, false},
		{[]float64{10, 100}, []float64{400, 0}, false}, // too few answers
		{[]float64{10, 100}, nil, false},
	} {
		p := Played{RateUS: 1000, IntervalUS: 1000,
			Rows: []PlayedRow{{OfferedPerS: c.perS, Admitted: Response{P50US: c.p50}}}}
		if p.FasterWhenBusy() != c.want {
			t.Errorf("%v: %v; want %v", c.perS, c.p50, c.want)
		}
	}
}

// A bucket's limit may be broken in another interval than the window, where nothing of it is to be seen: the fact says
// it all the same. The limit of each of many keys is none of their sum.
func TestWhatIsSaidOfTheLimit(t *testing.T) {
	bucket := Chart{Limit: result.Limit{Requests: 4, WindowUS: 1_000_000, Burst: 2, Contract: limit.ByBucket}}
	window := Chart{Limit: result.Limit{Requests: 4, WindowUS: 1_000_000, Burst: 2}}
	for want, got := range map[string]string{
		"1.27 × the contract": bucket.fact(5, 1.27), "within the limit + burst": bucket.fact(6, 1),
		"1.25 × the limit": window.fact(5, 1.25), "within the limit": window.fact(4, 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	row := playedRow("mine", []int64{10}, []int64{8}, []int64{4})
	for keys, want := range map[int64]bool{1: true, 500: false} {
		run := result.Run{Keys: keys, Played: &result.Part{LengthUS: 1_000_000}, Limit: window.Limit,
			Results: []result.Row{{Algorithm: "mine"}}}
		if p := NewPlayed(&result.Document{Latency: []result.Latency{row}}, &run); p.OneKey != want {
			t.Errorf("%d keys: one key is %t", keys, p.OneKey)
		}
	}
}
