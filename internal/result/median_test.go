package result

import (
	"math"
	"testing"
)

func us(v float64) *float64 { return &v }

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{7}, 7}, {[]float64{9, 1}, 5}, {[]float64{30, 10, 20}, 20}, {[]float64{4, 1, 3, 2}, 2.5}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.values, got, c.want)
		}
	}
	values := []float64{3, 1, 2}
	if Median(values); values[0] != 3 {
		t.Error("Median sorts what it was given")
	}
}

// Successive rounds are compared with each other, and the direction does not matter.
func TestNoiseFloorOf(t *testing.T) {
	first := Latency{Rounds: []Round{{ServerUSPerCall: us(10), ResponseP50US: 100},
		{ServerUSPerCall: us(11), ResponseP50US: 100}, {ServerUSPerCall: us(8.8), ResponseP50US: 50}}}
	second := Latency{Rounds: []Round{{ResponseP50US: 1000}, {ResponseP50US: 1100}}}
	got := NoiseFloorOf([]Latency{first, second, {}, {Rounds: first.Rounds[:1]}})
	// server: 1.1 and 1.25; response: 1, 2 and 1.1. Of so few the 95th percentile is the largest.
	if got.Pairs != 3 || !near(got.ServerUS, 1.25) || !near(got.ResponseP50US, 2) {
		t.Errorf("%+v, want 3 pairs, 1.25 and 2", got)
	}
	if got := NoiseFloorOf(nil); got != (NoiseFloor{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Of 20 pairs that lie 1 %, 2 % … 20 % apart the 95th percentile is the 19th.
func TestNoiseFloorIsThe95thPercentile(t *testing.T) {
	var all []Latency
	for n := 20; n >= 1; n-- {
		all = append(all, Latency{Rounds: []Round{{ResponseP50US: 100}, {ResponseP50US: 100 + float64(n)}}})
	}
	if got := NoiseFloorOf(all); !near(got.ResponseP50US, 1.19) || got.ServerUS != 0 {
		t.Errorf("%+v, want 1.19 for the response and nothing for the server", got)
	}
}
