package compare

import (
	"fmt"
	"math"

	"ratelab/internal/benchresult"
)

// metric is one timing of a closed loop.
type metric struct {
	gate string
	name string // as in the JSON of benchresult.Sample
	rule string
	of   func(*benchresult.Sample) float64 // 0 where it was not measured
}

func metrics() []*metric {
	return []*metric{serverCost(), clientP50(), {
		gate: GateClientP99, name: "service_p99_us", rule: "never judged: the same code varies several times over",
		of: func(s *benchresult.Sample) float64 { return s.ServiceP99US },
	}}
}

func serverCost() *metric {
	return &metric{
		gate: GateServerCost, name: "server_us_per_decision", rule: rule(),
		of: func(s *benchresult.Sample) float64 { return orZero(s.ServerUSPerCall) },
	}
}

func clientP50() *metric {
	return &metric{
		gate: GateClientP50, name: "service_p50_us",
		rule: rule() + "; slower only if the server is, or a second run says so too",
		of:   func(s *benchresult.Sample) float64 { return s.ServiceP50US },
	}
}

func rule() string {
	return fmt.Sprintf("slower where the interval of the ratio lies above %s, the same where it lies within %s to %s; "+
		"all intervals together hold with %g %%", times(Tolerated), times(1/Equivalent), times(Equivalent),
		100*(1-2*Alpha))
}

func orZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// batch is one metric of a row's pairs.
type batch struct {
	measured   int         // pairs, whether they have the metric or not
	base, head []float64   // of the pairs that have it
	logs       []float64   // ln(head/base)
	controls   [][]float64 // by server
	halves     [][]float64 // by server: |ln| of the control's one half over the other, where it has halves
	own        []float64   // ln of the control's own ratio, where each side has a server
	toControl  []float64   // what is left of logs without it
	headFirst  int
	floor      *float64
}

// collect takes m out of pairs. A pair counts if both sides have the metric.
func collect(pairs []benchresult.Pair, m *metric) *batch {
	b := &batch{measured: len(pairs), floor: noiseFloor(pairs, m)}
	for i := range pairs {
		p := &pairs[i]
		base, head := m.of(&p.Base), m.of(&p.Head)
		if !usable(base) || !usable(head) {
			continue
		}
		b.base, b.head, b.logs = append(b.base, base), append(b.head, head), append(b.logs,
			math.Log(head)-math.Log(base))
		if p.HeadFirst {
			b.headFirst++
		}
		b.addControls(p.Controls, m)
	}
	return b
}

func usable(f float64) bool { return f > 0 && !math.IsInf(f, 0) }

func (b *batch) addControls(controls []benchresult.Sample, m *metric) {
	for len(b.controls) < len(controls) {
		b.controls, b.halves = append(b.controls, nil), append(b.halves, nil)
	}
	for i := range controls {
		if h := controls[i].Halves; len(h) == 2 && usable(m.of(&h[0])) && usable(m.of(&h[1])) {
			b.halves[i] = append(b.halves[i], math.Abs(math.Log(m.of(&h[0])/m.of(&h[1]))))
		}
		if c := m.of(&controls[i]); usable(c) {
			b.controls[i] = append(b.controls[i], c)
		}
	}
	if len(controls) == 2 && usable(m.of(&controls[0])) && usable(m.of(&controls[1])) {
		own := math.Log(m.of(&controls[1])) - math.Log(m.of(&controls[0]))
		b.own = append(b.own, own)
		b.toControl = append(b.toControl, b.logs[len(b.logs)-1]-own)
	}
}

// obstacle is why the pairs cannot be judged, and what would help; both are empty where they can.
func (b *batch) obstacle(control *Control) (reason, remedy string) {
	switch {
	case abs(2*b.headFirst-len(b.logs)) > 2:
		return fmt.Sprintf("the head came first in %d of %d pairs, want half", b.headFirst,
			len(b.logs)), "let the order of the sides alternate"
	case !control.Steady:
		return control.Reason, quieter
	}
	return "", ""
}

func abs(n int) int { return max(n, -n) }

const quieter = "measure on a quieter machine, or longer segments"

// timing is the statistics of one of so many rows.
func (b *batch) timing(rows int) *Timing {
	t := &Timing{Test: "sign test", Samples: len(b.logs), Look: lookAt(len(b.logs)), NoiseFloor: b.floor}
	alpha := alphaAt(t.Look, rows)
	t.Confidence = 1 - 2*alpha
	t.logs = median(b.logs, alpha)
	t.setRatio(t.logs)
	if len(b.halves) > 0 && len(b.halves[0]) > 1 {
		t.Control = controlInTurns(b.halves, b.controls...)
	} else {
		t.Control = controlOf(b.controls...)
	}
	if len(b.toControl) > 0 {
		t.RatioToControl = finite(math.Exp(benchresult.Median(b.toControl)))
		t.Control.Ratio = finite(math.Exp(benchresult.Median(b.own)))
	}
	return t
}

func (t *Timing) setRatio(logs estimate) {
	r := logs.exp()
	t.Ratio, t.RatioHigh = finite(r.center), finite(r.high)
	if r.low > 0 {
		t.RatioLow = finite(r.low)
	}
}
