package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// spectra are the lines of a panel, the foremost first.
var spectra = []struct {
	outcome, duration string
	of                func(*result.Outcomes) *result.Histogram
	share             float64 // of the row's colour
	width             vg.Length
	dashes            []vg.Length
}{
	{"accepted", "response", func(o *result.Outcomes) *result.Histogram { return o.Accepted.Response },
		1, 1.9, nil},
	{"accepted", "service", func(o *result.Outcomes) *result.Histogram { return o.Accepted.Service },
		0.75, 0.8, nil},
	{"rejected", "response", func(o *result.Outcomes) *result.Histogram { return o.Rejected.Response },
		1, 1.9, rejectedDashes},
	{"rejected", "service", func(o *result.Outcomes) *result.Histogram { return o.Rejected.Service },
		0.75, 0.8, rejectedDashes},
}

// latencyPercentile shows how long a decision takes, and how bad the worst are: a mean hides both. The control stands
// in each panel; alone, it has one.
func latencyPercentile(r *result.Document, run *result.Run) (*Figure, string) {
	const name = "latency-percentile"
	f := benchFigure(r, run, name, "How long does a decision take, and how bad are the worst?",
		fmt.Sprintf("Latency by percentile under %s: limit %s, %s.", run.Scenario, policy(run.Limit), connections(r)))
	var lines [][]any
	var control plotter.XYs
	low, high, most := math.Inf(1), 0.0, 1.0
	plays := r.Plays(run)
	for _, row := range plays {
		all := make([]plotter.XYs, len(spectra))
		for k, s := range spectra {
			ranks := ranksOf(s.of(&row.Outcomes))
			all[k] = ranks
			for _, q := range ranks {
				percentile := math.Round(1e5*(100*(1-math.Pow(10, -q.X)))) / 1e5
				lines = append(lines, []any{serverName(r), row.Algorithm, s.outcome, s.duration, percentile, q.Y})
			}
			if n := len(ranks); n > 0 { // the single least one would stretch the axis
				low, high, most = min(low, ranks[min(1, n-1)].Y), max(high, ranks[n-1].Y), max(most, ranks[n-1].X)
			}
		}
		if row.Algorithm == result.Control && len(plays) > 1 {
			control = all[0]
			continue
		}
		f.columns = append(f.columns, column{row.Algorithm, Color(row.Algorithm), latencyFact(&row.Outcomes),
			[]func(*panel){func(p *panel) {
				p.line(control, Color(result.Control), 2.4)
				for k, s := range slices.Backward(spectra) {
					p.line(all[k], tint(p.color, s.share), s.width, s.dashes...)
				}
			}}})
	}
	if high == 0 {
		return nil, f.Name + ": no response was measured"
	}
	f.x = nines(most)
	f.strips = []Axis{Logarithmic(max(low, result.LowestUS), high, 26, "latency, logarithmic", report.Natural)}
	f.keys = []key{lineKey("response, accepted", Ink, 1.9), lineKey("response, rejected", Ink, 1.9, rejectedDashes...),
		lineKey("service alone (thin)", Ink, 0.8)}
	if control != nil {
		f.keys = append(f.keys, lineKey("response of the control none", Color(result.Control), 2.4))
	}
	f.Data = rows("server,algorithm,outcome,duration,percentile,latency_us", lines)
	return f, ""
}

func latencyFact(of *result.Outcomes) string {
	accepted, rejected := of.Accepted.Response, of.Rejected.Response
	p99 := func(h *result.Histogram) string { return report.Natural(float64(h.ValueAtPercentile(99))) }
	switch {
	case accepted.Count() == 0 && rejected.Count() == 0:
		return "no requests"
	case rejected.Count() == 0:
		return "p99 " + p99(accepted) + ", none rejected"
	case accepted.Count() == 0:
		return "p99 " + p99(rejected) + ", none accepted"
	}
	return "p99 " + p99(accepted) + ", rejected " + p99(rejected)
}

// rankStep is the distance of two points of a curve, in nines: a few px.
const rankStep = 0.05

// ranksOf walks a histogram once. On the axis of nines a share p of the durations stands at -log10(1-p), so that 90 %
// is 1, 99 % is 2 and 99.9 % is 3. The curve starts at the least duration and ends where a single one is left: beyond,
// nothing is known. An empty histogram has none.
func ranksOf(h *result.Histogram) plotter.XYs {
	n := h.Count()
	if n == 0 {
		return nil
	}
	ranks := plotter.XYs{{X: 0, Y: float64(h.Min())}}
	next, seen := rankStep, int64(0)
	last := math.Log10(float64(n))
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		seen += bar.Count
		for next < last && seen >= counted(next, n) {
			ranks = append(ranks, plotter.XY{X: next, Y: float64(bar.To)})
			next += rankStep
		}
	}
	return append(ranks, plotter.XY{X: last, Y: float64(h.Max())})
}

// counted is how many of n durations lie at or below a rank, rounded as HdrHistogram does.
func counted(nines float64, n int64) int64 {
	return max(1, int64((1-math.Pow(10, -nines))*float64(n)+0.5))
}

// nines is the horizontal axis of a latency distribution, up to that many.
func nines(most float64) Axis {
	return Axis{Max: most, Ticks: func(length float64) []plot.Tick {
		ticks := []plot.Tick{{Value: math.Log10(2), Label: "p50"}}
		if length/most < 34 {
			ticks = nil // no room beside p90
		}
		for i, label := range []string{"p90", "p99", "p99.9", "p99.99", "p99.999", "p99.9999", "p99.99999"} {
			if v := float64(i + 1); v <= most+1e-9 {
				ticks = append(ticks, plot.Tick{Value: v, Label: label})
			}
		}
		return ticks
	}}
}
