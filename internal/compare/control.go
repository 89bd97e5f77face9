package compare

import (
	"fmt"
	"math"

	"ratelab/internal/benchresult"
)

// Control is how the control fared while a row was measured. Its code is the same throughout, so what moves it is the
// machine. It is unsteady if it typically changes by more than 1.35x from one measurement to the next, or by more than
// 1.5x from the first third of the run to the last. A drift below that hurts neither verdict: it hits both sides alike.
// Where the sides took turns in stretches, the control's two halves are the measurements that are compared, and no
// drift is too much: what is slower for a second is slower for everybody.
type Control struct {
	Measurements int `json:"measurements"`
	// median change from one measurement to the next, at least 1
	Step *float64 `json:"step,omitempty" jsonschema:"minimum=1"`
	// the last third's median over the first third's
	Drift *float64 `json:"drift,omitempty" jsonschema:"exclusiveMinimum=0"`
	// the head's control over the base's, where each has its own
	Ratio  *float64 `json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0"`
	Steady bool     `json:"steady"`
	Reason string   `json:"reason,omitempty"` // why it is not steady
}

// controlOf judges the control's measurements in the order in which they were made, one series for each server.
func controlOf(series ...[]float64) *Control {
	c := &Control{Steady: true}
	var logs [][]float64
	for _, s := range series {
		c.Measurements += len(s)
		if len(s) < 2 {
			c.fail("the control was not measured beside them")
			return c
		}
		logs = append(logs, logarithms(s))
	}
	if len(series) == 0 {
		c.fail("the control was not measured beside them")
		return c
	}
	step, drift := 0.0, 0.0
	for _, l := range logs {
		step = max(step, typicalStep(l))
		if d := thirds(l); math.Abs(d) > math.Abs(drift) {
			drift = d
		}
	}
	c.Step, c.Drift = finite(math.Exp(step)), finite(math.Exp(drift))
	c.judge()
	return c
}

// controlInTurns judges the control by its halves: ln of the one over the other, one series for each server. series
// are its measurements, as for controlOf.
func controlInTurns(halves [][]float64, series ...[]float64) *Control {
	c := controlOf(series...)
	if c.Step == nil {
		return c // it was not measured
	}
	c.Steady, c.Reason = true, ""
	step := 0.0
	for _, logs := range halves {
		step = max(step, benchresult.Median(logs))
	}
	c.Step = finite(math.Exp(step))
	if *c.Step > steadyStep {
		c.fail(fmt.Sprintf("the control's two halves differ by %s, more than %s", times(*c.Step), times(steadyStep)))
	}
	return c
}

func (c *Control) judge() {
	if *c.Step > steadyStep {
		c.fail(fmt.Sprintf("the control changed by %s from one measurement to the next, more than %s", times(*c.Step),
			times(steadyStep)))
	}
	if math.Abs(math.Log(*c.Drift)) > math.Log(steadyDrift) {
		c.fail(fmt.Sprintf("the control drifted to %s of what it was, beyond %s", times(*c.Drift), times(steadyDrift)))
	}
}

// fail keeps the first reason.
func (c *Control) fail(reason string) {
	if c.Steady {
		c.Steady, c.Reason = false, reason
	}
}

func logarithms(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

// typicalStep is the median of |x[i+1] - x[i]|: one hiccup makes two large steps and moves it little.
func typicalStep(x []float64) float64 {
	var steps []float64
	for i := 1; i < len(x); i++ {
		steps = append(steps, math.Abs(x[i]-x[i-1]))
	}
	return benchresult.Median(steps)
}

// thirds is how far the last third's median lies above the first third's.
func thirds(x []float64) float64 {
	third := max(1, len(x)/3)
	return benchresult.Median(x[len(x)-third:]) - benchresult.Median(x[:third])
}

// noiseFloor is that of m over measurements of the same side: its two halves in each pair where the sides were measured
// in stretches, or else those that stand next to each other: with base and head in ABBA order, every pair's last and
// the next one's first. Without either there is none. The arithmetic is that of benchresult.NoiseFloorOf, whatever the
// metric.
func noiseFloor(pairs []benchresult.Pair, m *metric) *float64 {
	var neighbours [][]benchresult.Sample
	for i := range pairs {
		for _, s := range []*benchresult.Sample{&pairs[i].Base, &pairs[i].Head} {
			if len(s.Halves) == 2 {
				neighbours = append(neighbours,
					[]benchresult.Sample{{ServiceP50US: m.of(&s.Halves[0])}, {ServiceP50US: m.of(&s.Halves[1])}})
			}
		}
	}
	if neighbours != nil {
		return floorOf(neighbours)
	}
	for i := 1; i < len(pairs); i++ {
		last, first := &pairs[i-1].Head, &pairs[i].Head
		if pairs[i].HeadFirst == pairs[i-1].HeadFirst {
			continue // the last of one and the first of the next are of different sides
		}
		if pairs[i-1].HeadFirst {
			last, first = &pairs[i-1].Base, &pairs[i].Base
		}
		neighbours = append(neighbours, []benchresult.Sample{{ServiceP50US: m.of(last)}, {ServiceP50US: m.of(first)}})
	}
	return floorOf(neighbours)
}

func floorOf(neighbours [][]benchresult.Sample) *float64 {
	if floor := benchresult.NoiseFloorOf(neighbours...).ClientP50US; floor > 0 {
		return &floor
	}
	return nil
}
