package curves

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// silent is a run of 40 buckets of a second under 2 per 2 s. Requests come in the buckets from one to before another.
func silent(from, to int) Input {
	s := measure.Series{BucketUS: 1_000_000, Admitted: make([]int64, 40), Rolling: make([]int64, 40)}
	offered := make([]int64, 40)
	for i := from; i < to; i++ {
		offered[i], s.Admitted[i] = 3, 1
		s.Rolling[i], s.Rolling[min(i+1, 39)] = 2, 2
	}
	return Input{Run: &result.Run{Scenario: "silent", DurationUS: 40_000_000, Keys: 1,
		Limit: result.Limit{Requests: 2, WindowUS: 2_000_000, Burst: 2}},
		Traffic:    measure.Traffic{BucketUS: 1_000_000, Offered: offered},
		Algorithms: []Limiter{{Label: "mine", Series: s}}}
}

// A long silence at either end is not drawn, all charts have the same axis, and the data have every bucket.
func TestLongSilenceIsNotDrawn(t *testing.T) {
	for _, c := range []struct {
		from, to         int
		startUS, endUS   int64
		silence, because string
	}{
		{0, 40, 0, 40_000_000, "", "nothing is silent"},
		{9, 33, 0, 40_000_000, "", "neither is long"},
		{36, 38, 35_000_000, 40_000_000, "The axis begins at 35 s, before which nothing happens", "the start is"},
		{0, 12, 0, 15_000_000, "The axis ends at 15 s, after which nothing happens", "the end is"},
		{20, 22, 19_000_000, 24_000_000,
			"The axis begins at 19 s, before which nothing happens, and ends at 24 s, after which nothing happens",
			"both are"},
		{0, 0, 0, 40_000_000, "", "nobody comes at all"},
	} {
		for name, line := range timelines(silent(c.from, c.to)) {
			if line.FromUS != c.startUS || line.EndUS != c.endUS || line.Silence != c.silence {
				t.Errorf("%s, %s: from %d to %d, %q", c.because, name, line.FromUS, line.EndUS, line.Silence)
			}
			if n := strings.Count(string(line.CSV()), "\n"); n != 41 {
				t.Errorf("%s, %s: %d lines of data", c.because, name, n)
			}
			if want := (c.endUS - c.startUS) / line.BinUS; int64(len(line.Curves[0].Values)) != want {
				t.Errorf("%s, %s: %d bins, want %d", c.because, name, len(line.Curves[0].Values), want)
			}
		}
	}
	drawn := timelines(silent(36, 38))
	if got := drawn["window"].Curves[0].Values; !slices.Equal(got, []int64{0, 2, 2, 2, 0}) {
		t.Errorf("the window's sums are %d", got)
	}
}

// The line of a bucket's contract is what that allows in a window, and is called so.
func TestTheLineIsWhatTheContractAllows(t *testing.T) {
	in := silent(0, 40)
	in.Run.Limit.Burst = 1
	if got := timelines(in)["window"]; got.Curves[0].Fact != "within the limit" {
		t.Errorf("by the window: %q", got.Curves[0].Fact)
	}
	in.Algorithms[0].Series.Rolling[7] = 6
	if got := timelines(in)["window"]; got.Curves[0].Fact != "3.00 × the limit" {
		t.Errorf("by the window: %q", got.Curves[0].Fact)
	}
	in.Run.Limit.Contract = limit.ByBucket
	got := timelines(in)["window"]
	if n, name := got.Allows(); n != 3 || name != "limit + burst" || got.Curves[0].Fact != "2.00 × the limit + burst" {
		t.Errorf("by the bucket: %d, %s, %q", n, name, got.Curves[0].Fact)
	}
}
