package benchchart

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/benchresult"
)

// A hundred durations of 1 to 100 µs: what stands at nine tenths is 90, at the end the longest.
func TestRanksByHand(t *testing.T) {
	h := benchresult.NewHistogram()
	for v := range int64(100) {
		_ = h.RecordValue(v + 1)
	}
	ranks := ranksOf(h)
	if first, last := ranks[0], ranks[len(ranks)-1]; first != (rank{0, 1}) || last != (rank{2, 100}) {
		t.Errorf("from %v to %v, want from 1 µs at no nines to 100 µs at two", first, last)
	}
	for _, r := range ranks {
		if math.Abs(r.nines-1) < 1e-9 && r.us != 90 {
			t.Errorf("p90 is %v, want 90", r.us)
		}
	}
	if ranksOf(benchresult.NewHistogram()) != nil {
		t.Error("an empty histogram has a curve")
	}
}

// The curve says what the histogram says, and never falls.
func TestRanksAreThePercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := benchresult.NewHistogram()
		for _, v := range rapid.SliceOfN(rapid.Int64Range(1, 2_000_000), 1, 300).Draw(t, "durations") {
			_ = h.RecordValue(v)
		}
		last := rank{-1, 0}
		for _, r := range ranksOf(h) {
			if r.nines < last.nines || r.us < last.us {
				t.Fatalf("%v follows %v", r, last)
			}
			last = r
			want := float64(h.ValueAtPercentile(100 * r.share()))
			if r.nines > 0 && r.us != want && r.us != float64(h.Max()) {
				t.Fatalf("at %v nines %v µs, the histogram says %v", r.nines, r.us, want)
			}
		}
	})
}

// Joined intervals keep every request, and the whole span.
func TestMomentsKeepEveryRequest(t *testing.T) {
	empty, one := benchresult.NewHistogram(), benchresult.NewHistogram()
	_ = one.RecordValue(70)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "intervals")
		want := int64(0)
		intervals := make([]benchresult.Interval, n)
		for i := range intervals {
			latency := benchresult.Outcomes{Accepted: benchresult.Durations{Response: empty},
				Rejected: benchresult.Durations{Response: empty}}
			if i%3 == 0 {
				latency.Accepted.Response, latency.Rejected.Response = one, one
				want += 2
			}
			intervals[i] = benchresult.Interval{StartUS: int64(i) * 10, WidthUS: 10, Latency: latency}
		}
		moments := momentsOf(intervals)
		got, width := int64(0), 0.0
		for _, m := range moments {
			got, width = got+m.requests, width+m.widthUS
		}
		if got != want || width != float64(n*10) || len(moments) > mostMoments {
			t.Fatalf("%d intervals: %d of %d requests in %d moments of %v µs", n, got, want, len(moments), width)
		}
	})
}

// Where nothing was asked the line has a gap.
func TestStretchesHaveGaps(t *testing.T) {
	got := stretches([]moment{{requests: 1}, {requests: 1}, {}, {requests: 1}, {}})
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 {
		t.Errorf("stretches %v, want one of two and one of one", got)
	}
}
