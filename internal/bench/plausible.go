package bench

import (
	"fmt"

	"ratelab/internal/result"
)

// What figures say against themselves, though nobody saw anything go wrong while they were measured.

// The codes of such reasons.
const (
	reasonControl = "control" // deciding nothing cost more than deciding
	reasonNoise   = "noise"   // the same code differs from itself by more than what is to be shown
)

// mostNoise is the noise floor up to which figures may be shown: less than what algorithms differ by.
const mostNoise = 1.25

// tooNoisy are the figures of a run whose noise floor is too high for what is shown.
func tooNoisy(floor *result.NoiseFloor) []result.Reason {
	var all []result.Reason
	for _, f := range []struct {
		of    string
		ratio float64
	}{{"the server's time", floor.ServerUS}, {"the client's median", floor.ClientP50US}} {
		if f.ratio <= mostNoise {
			continue
		}
		all = append(all, result.Reason{Code: reasonNoise, Where: "all rounds", Statement: fmt.Sprintf(
			"%s differs by %.2fx from one round of the same script to the next, more than %.2fx", f.of, f.ratio,
			mostNoise)})
	}
	return all
}

// dearControl is why a document's figures are not those of the scripts: the script that decides nothing took the server
// longer than one that decides, or got less done, by more than the noise between rounds. Of several the first is named.
func dearControl(d *result.Document) []result.Reason {
	noise, controls := throughputNoise(d.Costs), map[string]float64{}
	for _, m := range d.Costs[0].Mixes {
		controls[m.Mix] = m.ThroughputPerS
	}
	for _, c := range d.Costs[1:] {
		for _, m := range c.Mixes {
			if why := dearer(controls[m.Mix], &m, max(1, d.NoiseFloor.ServerUS), noise); why != "" {
				return []result.Reason{{Code: reasonControl, Where: c.Algorithm + ", " + m.Mix, Statement: why}}
			}
		}
	}
	return nil
}

// throughputNoise is how far rounds of the same script lie apart in what gets done, as a noise floor tells it of times.
// A stall hits it more than a median.
func throughputNoise(costs []result.Cost) float64 {
	var groups [][]result.Sample
	for _, c := range costs {
		for _, m := range c.Mixes {
			var group []result.Sample
			for _, s := range m.Samples {
				group = append(group, result.Sample{ServiceP50US: s.ThroughputPerS})
			}
			groups = append(groups, group)
		}
	}
	return max(1, result.NoiseFloorOf(groups...).ClientP50US)
}

// dearer says in what the control, of that throughput, is dearer than a mix of a script, beyond the noise of the
// server's time and of the throughput; "" where it is not.
func dearer(control float64, m *result.Mix, floor, noise float64) string {
	switch {
	case m.RatioToControl != nil && *m.RatioToControl*floor < 1:
		return fmt.Sprintf("it took the server %.2f times as long as a script that decides nothing, which is beyond "+
			"the noise floor of %.2fx: something else was measured", *m.RatioToControl, floor)
	case control*noise < m.ThroughputPerS:
		return fmt.Sprintf("%.0f decisions a second, and %.0f of a script that decides nothing, which is beyond the "+
			"noise between rounds, %.2fx: something else was measured", m.ThroughputPerS, control, noise)
	}
	return ""
}
