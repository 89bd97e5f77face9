package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"ratelab/internal/curves"
	"ratelab/internal/report"
)

// sweep draws the figures of rows by the value of a parameter: a column for each sweep, and a panel for each figure.
// Values that are no numbers, and 0, stand left of the logarithmic axis. It returns nil if the run has no sweep.
func sweep(in curves.Input) *Figure {
	s := curves.NewSweep(in.Run)
	if s == nil {
		return nil
	}
	run := in.Run
	f := &Figure{Name: run.Scenario + ".sweep", Title: cmp.Or(run.Question, run.Scenario), Data: s.CSV(),
		Subtitle: fmt.Sprintf("By the value of %s. Dashed: the limit. Limit %s.", s.Parameter, policy(run.Limit)),
		Footer:   fmt.Sprintf("%s  ·  seed %d  ·  %s", run.Scenario, run.Seed, run.Server)}
	if s.Parameter == curves.OfLimit {
		f.Subtitle = "By the limit, which is dashed."
	}
	guaranteed := func(c curves.SweptCurve) bool {
		return slices.ContainsFunc(c.Guarantee, func(g float64) bool { return !math.IsNaN(g) })
	}
	if slices.ContainsFunc(s.Curves, guaranteed) {
		f.Subtitle += " Dashed in colour: the guarantee."
	}
	if in.Version != "" {
		f.Footer += "  ·  ratelab " + in.Version
	}
	low, high := math.Inf(1), 0.0
	tops := make([]float64, len(s.Figures))
	for _, c := range s.Curves {
		for _, x := range c.X {
			if x > 0 {
				low, high = min(low, x), max(high, x)
			}
		}
		for i := range s.Figures {
			tops[i] = max(tops[i], s.Figures[i].Line*1.2, slices.Max(c.Y[i])*1.1)
			for _, g := range c.Guarantee {
				if i == 0 && g <= 2*slices.Max(c.Y[i]) { // a larger one would flatten the curve
					tops[i] = max(tops[i], g)
				}
			}
		}
	}
	if high == 0 {
		low, high = 1, 10
	}
	place := func(x float64) float64 {
		switch {
		case math.IsNaN(x):
			return low / 8
		case x <= 0:
			return low / 3
		}
		return x
	}
	f.x = f.sweptAxis(s, low, high, place)
	for i, figure := range s.Figures {
		f.strips = append(f.strips, Amounts(tops[i], 30, figure.Unit))
	}
	for _, c := range s.Curves {
		col := column{label: c.Label, color: Color(c.Row)}
		for i := range s.Figures {
			col.draw = append(col.draw, func(p *panel) {
				var line plotter.XYs
				for k, x := range c.X {
					at := plotter.XY{X: place(x), Y: c.Y[i][k]}
					p.dot(at)
					if x > 0 {
						line = append(line, at)
					}
				}
				var guarantee plotter.XYs
				for k, x := range c.X {
					if g := c.Guarantee[k]; i == 0 && x > 0 && g <= tops[0] {
						guarantee = append(guarantee, plotter.XY{X: x, Y: g})
					}
				}
				p.line(guarantee, p.color, 0.9, limitDashes...)
				if bound := s.Figures[i].Line; bound > 0 {
					p.line(plotter.XYs{{X: f.x.Min, Y: bound}, {X: f.x.Max, Y: bound}}, Ink, 0.9, limitDashes...)
				}
				p.line(line, p.color, 1.5)
			})
		}
		f.columns = append(f.columns, col)
	}
	return f
}

// sweptAxis returns the axis of a sweep's values.
func (f *Figure) sweptAxis(s *curves.Sweep, low, high float64, place func(float64) float64) Axis {
	least := low
	for _, c := range s.Curves {
		for _, x := range c.X {
			least = min(least, place(x))
		}
	}
	inner := Logarithmic(low, high, 46, "", report.Short)
	if s.Duration {
		inner = logTime(low, high)
	}
	a := Axis{Unit: s.Parameter, Min: least / 1.3, Max: high * 1.3, Log: true}
	a.Ticks = func(length float64) (ticks []plot.Tick) {
		for _, t := range inner.Ticks(length) {
			if t.Value >= low*(1-1e-9) && t.Value <= a.Max {
				ticks = append(ticks, t)
			}
		}
		for at, name := range map[float64]string{place(math.NaN()): curves.NoNumber, place(0): "0"} {
			if at >= a.Min && least < low {
				ticks = append(ticks, plot.Tick{Value: at, Label: name})
			}
		}
		slices.SortFunc(ticks, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
		return ticks
	}
	return a
}
