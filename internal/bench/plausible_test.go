package bench

import (
	"strings"
	"testing"

	"ratelab/internal/result"
)

// A script that decides nothing and is dearer than one that decides, by more than the noise, is a reason: for the
// server's time, or for what gets done. Elsewhere than beside its own mix it is none.
func TestADearControlIsInvalid(t *testing.T) {
	ratio := func(f float64) *float64 { return &f }
	for _, c := range []struct {
		ratio                *float64
		server, rounds       float64 // noise of the server's time, and of the throughput
		throughput, controls float64
		want                 string // part of the statement
	}{
		{ratio(1.5), 1.04, 1.04, 900, 1000, ""},
		{ratio(0.97), 1.04, 1.04, 1030, 1000, ""},
		{ratio(0.9), 1.04, 1.04, 900, 1000, "0.90 times as long as a script that decides nothing"},
		{ratio(0.9), 1.94, 1.94, 900, 1000, ""},
		{ratio(0.5), 1.94, 1.94, 900, 1000, "noise floor of 1.94x"},
		{ratio(0.9), 0, 0, 900, 1000, "noise floor of 1.00x"}, // a single round tells no noise
		{ratio(1.5), 1.04, 1.04, 1100, 1000, "1100 decisions a second, and 1000 of a script that decides nothing"},
		{ratio(1.5), 1.04, 1.2, 1100, 1000, ""},
		{nil, 0, 1.04, 1100, 1000, "1100 decisions a second"}, // a server without statistics
		{nil, 0, 1.04, 1000, 1000, ""},
	} {
		mix := func(name string, perS float64) result.Mix {
			return result.Mix{Mix: name, ThroughputPerS: perS,
				Samples: []result.Sample{{ThroughputPerS: 100}, {ThroughputPerS: 100 * c.rounds}}}
		}
		d := &result.Document{Measurement: &result.Measurement{}, Costs: []result.Cost{
			{Identity: result.Identity{Algorithm: control}, Mixes: []result.Mix{
				mix(result.MixAccepted, 1), mix(result.MixHalf, c.controls)}},
			{Identity: result.Identity{Algorithm: "gcra"}, Mixes: []result.Mix{mix(result.MixHalf,
				c.throughput)}},
		}}
		d.Costs[1].Mixes[0].RatioToControl = c.ratio
		d.NoiseFloor = result.NoiseFloor{ServerUS: c.server}
		got := dearControl(d)
		if (len(got) > 0) != (c.want != "") || len(got) > 0 && (got[0].Code != "control" ||
			got[0].Where != "gcra, half" || !strings.Contains(got[0].Statement, c.want)) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A quarter of noise may be shown, and more may not. Figures that were not measured have none.
func TestTooMuchNoiseIsInvalid(t *testing.T) {
	for _, c := range []struct {
		server, client float64
		want           []string
	}{
		{0, 0, nil}, {1.25, 1.25, nil}, {1.26, 1.1, []string{"the server's time differs by 1.26x"}},
		{1.1, 1.94, []string{"the client's median differs by 1.94x"}},
		{1.3, 1.94, []string{"the server's time differs by 1.30x", "the client's median differs by 1.94x"}},
	} {
		got := tooNoisy(&result.NoiseFloor{ServerUS: c.server, ClientP50US: c.client})
		if len(got) != len(c.want) {
			t.Errorf("%v and %v: %+v", c.server, c.client, got)
			continue
		}
		for i, r := range got {
			if r.Code != "noise" || !strings.HasPrefix(r.Statement, c.want[i]) {
				t.Errorf("%v and %v: %+v, want %q", c.server, c.client, r, c.want[i])
			}
		}
	}
}
