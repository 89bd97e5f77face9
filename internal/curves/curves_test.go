package curves

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// series is two buckets of one second each.
func series(admitted, rolling []int64) measure.Series {
	return measure.Series{BucketUS: 1_000_000, Admitted: admitted, Rolling: rolling}
}

// worked is a run of three buckets under 4 per 2 s, which ends in the middle of the last one.
func worked() Input {
	run := &result.Run{Scenario: "worked", DurationUS: 2_500_000, Keys: 2,
		Limit: result.Limit{Requests: 4, WindowUS: 2_000_000, Burst: 4}}
	exact := series([]int64{4, 0, 0}, []int64{4, 4, 4})
	own := &measure.Traffic{BucketUS: 1_000_000, Offered: []int64{3, 1, 1}}
	return Input{Run: run, Traffic: measure.Traffic{BucketUS: 1_000_000, Offered: []int64{5, 3, 0}},
		Reference: &exact,
		Algorithms: []Limiter{
			{Label: "none", Series: series([]int64{5, 3, 0}, []int64{5, 8, 3})},
			{Label: "mine", Series: series([]int64{4, 3, 0}, []int64{4, 7, 3})},
			{Label: "meek", Series: series([]int64{3, 0, 0}, []int64{3, 3, 0}), Traffic: own},
			{Label: "exact", Series: series([]int64{4, 0, 0}, []int64{4, 4, 4})},
		}}
}

// timelines are the charts over time, by name.
func timelines(in Input) map[string]Timeline {
	all := map[string]Timeline{}
	for _, line := range Timelines(in) {
		all[line.Name] = line
	}
	return all
}

func TestTimelinesByHand(t *testing.T) {
	in := worked()
	all := timelines(in)
	for _, c := range []struct {
		name, caption string
		line          Timeline
		want          string
	}{
		{"admitted", "", all["admitted"], "none [5 3 0] 5 8 of 8 admitted; mine [4 3 0] 5 7 of 8 admitted; " +
			"meek [3 0 0] 3 3 of 5 admitted; exact [4 0 0] 5 4 of 8 admitted; exact reference [4 0 0] 5 4 " +
			"of 8 admitted"},
		{"window", "Admitted in the last 2 s, by the key that had most, in requests", all["window"],
			"none [5 8 3] 8 2.00 × the limit; mine [4 7 3] 7 1.75 × the limit; meek [3 3 0] 3 within the limit; " +
				"exact [4 4 4] 4 within the limit; exact reference [4 4 4] 4 within the limit"},
		{"cumulative", "Admitted so far, in requests", all["cumulative"],
			"none [5 8 8] 8 4 more than exact; mine [4 7 7] 7 3 more than exact; meek [3 3 3] 3 1 fewer than exact; " +
				"exact [4 4 4] 4 as many as exact; exact reference [4 4 4] 4 as many as exact"},
	} {
		var got []string
		for _, v := range append(c.line.Curves, *c.line.Reference) {
			got = append(got, fmt.Sprint(v.Label, " ", v.Values, " ", v.Top, " ", v.Fact))
		}
		if diff := cmp.Diff(strings.Split(c.want, "; "), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if c.line.Caption != c.caption || c.line.BinUS != 1_000_000 || c.line.EndUS != 2_500_000 {
			t.Errorf("%s: %q, bins of %d us until %d us", c.name, c.line.Caption, c.line.BinUS, c.line.EndUS)
		}
	}
	if got := all["admitted"].Curves[2].Offered; !slices.Equal(got, []int64{3, 1, 1}) {
		t.Errorf("meek was offered %v", got)
	}
}

// The time axis ends with the scenario where that is within the last bucket, and otherwise with the buckets.
// What a shaper admits and lets leave after the end is in no bucket, and in the facts, which say so.
func TestWhatLeavesAfterTheEnd(t *testing.T) {
	in := worked()
	shaper := result.Row{Algorithm: "meek", Figures: measure.Figures{Shaping: &measure.Shaping{}}}
	shaper.AdmittedCost = 5
	in.Run.Results = []result.Row{shaper}
	all := timelines(in)
	for name, want := range map[string]string{
		"admitted":   "5 of 5 admitted, 2 after 2.5 s",
		"cumulative": "1 more than exact, 2 after 2.5 s",
	} {
		if got := all[name].Curves[2]; got.Fact != want || got.Top > 5 {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
}

// None is drawn only where it is alone, and the data has it all the same.
func TestShown(t *testing.T) {
	in := worked()
	labels := func() string {
		var list []string
		for _, c := range timelines(in)["window"].Shown() {
			list = append(list, c.Label)
		}
		return strings.Join(list, " ")
	}
	if got := labels(); got != "mine meek exact" {
		t.Errorf("shown: %s", got)
	}
	want := "t_us,offered,none,mine,meek,exact,reference,limit\n0,5,5,4,3,4,4,4\n"
	if data := string(timelines(in)["window"].CSV()); !strings.HasPrefix(data, want) {
		t.Errorf("data:\n%s", data)
	}
	in.Algorithms = in.Algorithms[:1]
	if got := labels(); got != "none" {
		t.Errorf("shown alone: %s", got)
	}
}

// Costs make the curves count tokens.
func TestUnit(t *testing.T) {
	in := worked()
	in.Run.Reference = &measure.Result{Offered: 100, OfferedCost: 300}
	if w := timelines(in)["window"]; w.Unit != "tokens" || !strings.HasSuffix(w.Caption, ", in tokens") {
		t.Errorf("%s: %s", w.Caption, w.Unit)
	}
}

// Whatever a run was, its curves keep the peaks, the sums and the end, and its data every bucket.
func TestCurvesKeepWhatCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		all, n := timelines(in), len(in.Traffic.Offered)
		for _, line := range all {
			bins := int64(len(line.Reference.Values))
			if (bins-1)*line.BinUS >= line.EndUS || bins*line.BinUS < line.EndUS {
				t.Fatalf("%d bins of %d us until %d us", bins, line.BinUS, line.EndUS)
			}
			if lines, err := csv.NewReader(strings.NewReader(string(line.CSV()))).ReadAll(); err != nil ||
				len(lines) != 1+n {
				t.Fatalf("%d lines of data (%v) for %d buckets", len(lines), err, n)
			}
		}
		for i, l := range in.Algorithms {
			window, peak := all["window"].Curves[i], slices.Max(l.Series.Rolling)
			if got := slices.Max(window.Values); got != peak || window.Top != peak {
				t.Fatalf("a peak of %d became %d, which it says is %d", peak, got, window.Top)
			}
			cumulative, sum := all["cumulative"].Curves[i], total(l.Series.Admitted)
			if got := cumulative.Values[len(cumulative.Values)-1]; got != sum || cumulative.Top != sum {
				t.Fatalf("%d admitted became %d so far, which it says is %d", sum, got, cumulative.Top)
			}
			if got := total(all["admitted"].Curves[i].Values); got != sum {
				t.Fatalf("%d admitted became %d", sum, got)
			}
		}
	})
}

// drawn is a run of any length, with bins that may not divide it.
func drawn(t *rapid.T) Input {
	n := rapid.IntRange(1, 600).Draw(t, "buckets")
	width := rapid.SampledFrom([]int64{1, 5_000, 11_719, 1_000_000, 168_750_000}).Draw(t, "width")
	values := rapid.SliceOfN(rapid.Int64Range(0, 1000), n, n)
	row := func() measure.Series {
		return measure.Series{BucketUS: width, Admitted: values.Draw(t, "admitted"), Rolling: values.Draw(t, "rolling")}
	}
	exact := row()
	return Input{
		Run: &result.Run{Scenario: "drawn", Limit: result.Limit{Requests: 500, WindowUS: 1_000_000},
			DurationUS: width*int64(n) - rapid.Int64Range(0, 2*width).Draw(t, "before the end")},
		Traffic:    measure.Traffic{BucketUS: width, Offered: values.Draw(t, "offered")},
		Reference:  &exact,
		Algorithms: []Limiter{{Label: "a", Series: row()}, {Label: "b", Series: row()}},
	}
}
