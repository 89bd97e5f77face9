package bench

import (
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
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
//
// Note: a comparison has no such bound. Its floor is that of single measurements, and its intervals say for themselves
// how little they are worth.
func tooNoisy(floor *benchresult.NoiseFloor) []benchresult.Reason {
	var all []benchresult.Reason
	for _, f := range []struct {
		of    string
		ratio float64
	}{{"the server's time", floor.ServerUS}, {"the client's median", floor.ClientP50US}} {
		if f.ratio <= mostNoise {
			continue
		}
		all = append(all, benchresult.Reason{Code: reasonNoise, Where: "all rounds", Statement: fmt.Sprintf(
			"%s differs by %.2fx from one round of the same script to the next, more than %.2fx", f.of, f.ratio,
			mostNoise)})
	}
	return all
}

// dearControl is why a document's figures are not those of the scripts: the script that decides nothing took the server
// longer than one that decides, or got less done, by more than the noise between rounds. Of several the first is named.
func dearControl(d *benchresult.Document) []benchresult.Reason {
	noise := throughputNoise(d.Costs)
	for _, c := range d.Costs {
		for i := range c.Mixes {
			control := mixOf(d.Costs, c.Mixes[i].Mix)
			if control == nil || c.Algorithm == benchresult.Control {
				continue
			}
			if why := dearer(control, &c.Mixes[i], d.NoiseFloor.ServerUS, noise); why != "" {
				return []benchresult.Reason{{Code: reasonControl, Where: c.Algorithm + ", " + c.Mixes[i].Mix,
					Statement: why}}
			}
		}
	}
	return nil
}

// mixOf is the control's mix of that name, or nothing.
func mixOf(costs []benchresult.Cost, name string) *benchresult.Mix {
	i := slices.IndexFunc(costs, func(c benchresult.Cost) bool { return c.Algorithm == benchresult.Control })
	if i < 0 {
		return nil
	}
	for k := range costs[i].Mixes {
		if m := &costs[i].Mixes[k]; m.Mix == name {
			return m
		}
	}
	return nil
}

// throughputNoise is how far rounds of the same script lie apart in what gets done, as a noise floor tells it of times.
// A stall hits it more than a median.
func throughputNoise(costs []benchresult.Cost) float64 {
	var groups [][]benchresult.Sample
	for _, c := range costs {
		for _, m := range c.Mixes {
			var group []benchresult.Sample
			for _, s := range m.Samples {
				group = append(group, benchresult.Sample{ServiceP50US: s.ThroughputPerS})
			}
			groups = append(groups, group)
		}
	}
	return max(1, benchresult.NoiseFloorOf(groups...).ClientP50US)
}

// dearer says in what the control is dearer than a mix of a script, beyond the noise of the server's time and of the
// throughput; "" where it is not.
func dearer(control, m *benchresult.Mix, floor, noise float64) string {
	if why := dearerForServer(m.RatioToControl, floor); why != "" {
		return why
	}
	if control.ThroughputPerS*noise >= m.ThroughputPerS {
		return ""
	}
	return fmt.Sprintf("%.0f decisions a second, and %.0f of a script that decides nothing, which is beyond the noise "+
		"between rounds, %.2fx: something else was measured", m.ThroughputPerS, control.ThroughputPerS, noise)
}

// dearerForServer is dearer for the server's time, by its ratio to the control's.
func dearerForServer(ratio *float64, floor float64) string {
	floor = max(1, floor)
	if ratio == nil || *ratio*floor >= 1 {
		return ""
	}
	return fmt.Sprintf("it took the server %.2f times as long as a script that decides nothing, which is beyond the "+
		"noise floor of %.2fx: something else was measured", *ratio, floor)
}

// dearControlOfPairs is dearControl for the pairs of a comparison, whose halves tell the noise.
func dearControlOfPairs(d *benchresult.Paired) []benchresult.Reason {
	for _, row := range d.Rows {
		for i, side := range []string{"base", "head"} {
			var own, controls []benchresult.Sample
			for _, p := range row.Pairs {
				own = append(own, []benchresult.Sample{p.Base, p.Head}[i])
				controls = append(controls, p.Controls[min(i, len(p.Controls)-1)])
			}
			if why := dearerForServer(benchresult.RatioToControl(own, controls), d.NoiseFloor.ServerUS); why != "" {
				return []benchresult.Reason{{Code: reasonControl, Where: row.Name + ", " + side, Statement: why}}
			}
		}
	}
	return nil
}
