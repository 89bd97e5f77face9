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

// A ratio is taken within its round: round 2 is twice as slow for both and changes nothing.
func TestRatioToControlIsTakenWithinRounds(t *testing.T) {
	control := []Sample{{Round: 1, ServerUSPerCall: us(4)}, {Round: 2, ServerUSPerCall: us(8)}, {Round: 3},
		{Round: 4, ServerUSPerCall: us(4)}}
	samples := []Sample{
		{Round: 2, ServerUSPerCall: us(16)},  // 2
		{Round: 1, ServerUSPerCall: us(10)},  // 2.5
		{Round: 3, ServerUSPerCall: us(99)},  // no control
		{Round: 5, ServerUSPerCall: us(99)},  // no such round
		{Round: 4, ServerUSPerCall: us(8.8)}, // 2.2
	}
	if got := RatioToControl(samples, control); got == nil || !near(*got, 2.2) {
		t.Errorf("ratio %v, want 2.2", got)
	}
	if got := RatioToControl(samples[2:3], control); got != nil {
		t.Errorf("ratio %v where no round has both", *got)
	}
}

// Successive measurements are compared within their group, and the direction does not matter.
func TestNoiseFloorOf(t *testing.T) {
	first := []Sample{{ServerUSPerCall: us(10), ServiceP50US: 100}, {ServerUSPerCall: us(11), ServiceP50US: 100},
		{ServerUSPerCall: us(8.8), ServiceP50US: 50}}
	second := []Sample{{ServiceP50US: 1000}, {ServiceP50US: 1100}}
	got := NoiseFloorOf(first, second, nil, first[:1])
	// server: 1.1 and 1.25; client: 1, 2 and 1.1. Of so few the 95th percentile is the largest.
	if got.Pairs != 3 || !near(got.ServerUS, 1.25) || !near(got.ClientP50US, 2) {
		t.Errorf("%+v, want 3 pairs, 1.25 and 2", got)
	}
	if got := NoiseFloorOf(); got != (NoiseFloor{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Of 20 pairs that lie 1 %, 2 % … 20 % apart the 95th percentile is the 19th.
func TestNoiseFloorIsThe95thPercentile(t *testing.T) {
	var groups [][]Sample
	for n := 20; n >= 1; n-- {
		groups = append(groups, []Sample{{ServiceP50US: 100}, {ServiceP50US: 100 + float64(n)}})
	}
	if got := NoiseFloorOf(groups...); !near(got.ClientP50US, 1.19) || got.ServerUS != 0 {
		t.Errorf("%+v, want 1.19 for the client and nothing for the server", got)
	}
}
