package benchchart

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// overshoot is the picture on which one chooses: how far an algorithm lets one go above the limit, against what a
// decision costs the server.
func (s *scene) overshoot(scenario string) (chart.Picture, bool) {
	name := scenario + ".cost-overshoot"
	choices, traffic := s.choices(scenario)
	if len(choices) == 0 {
		s.leave(name, "the server did not tell what a call cost it, or the exact decisions are missing")
		return chart.Picture{}, false
	}
	s.noteWithoutChoice(name, scenario, choices)
	run, of := s.firstRun(scenario)
	shown := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return c.label == control })
	if len(shown) == 0 {
		shown = choices // the control alone
	}
	p := page("Which algorithm is strict enough, and what does it cost?",
		fmt.Sprintf("Under %s, limit %s, %s: the most admitted within any window, as a multiple of the limit, "+
			"against the server's cost %s.", run.Scenario, policy(run.Limit), connections(of), traffic), of, run)
	plot := s.choicePlot(shown, choices)
	p = figure(p, s.choiceKeys(), plot.Total(), plot.Draw)
	return chart.Picture{Name: name, Page: p, Data: s.choiceData(choices, traffic)}, true
}

// firstRun is the scenario in the first result that has it, and all results that do.
func (s *scene) firstRun(scenario string) (*benchresult.Play, []*benchresult.Document) {
	var first *benchresult.Play
	var of []*benchresult.Document
	for _, r := range s.results {
		if run := runOf(r, scenario); run != nil {
			of = append(of, r)
			if first == nil {
				first = run
			}
		}
	}
	return first, of
}

// The traffics under which the cost of a point was measured.
const (
	underScenario = "under this traffic"
	underHalf     = "with half of the requests accepted"
)

// crowded is the overshoot from which on the axis is logarithmic: those near the limit would stand on a heap.
const crowded = 4.0

func overshootAxis(choices []choice) chart.Axis {
	unit := "most admitted in a window ÷ limit"
	low, top := 1.0, 1.2
	for _, c := range choices {
		top = max(top, c.overshoot)
		if c.overshoot > 0 {
			low = min(low, c.overshoot)
		}
	}
	if top <= crowded {
		return chart.Amounts(top, 60, unit)
	}
	return chart.Logarithmic(low*0.8, top*1.1, 60, unit+", logarithmic", chart.Short)
}

func (s *scene) choicePlot(shown, all []choice) chart.Plot {
	top := 0.0
	for _, c := range all {
		top = max(top, c.serverUS)
	}
	plot := chart.Plot{Horizontal: overshootAxis(shown), Vertical: chart.Amounts(top, 44, "server µs per decision"),
		Height: max(320, 14*float64(len(shown))), Beside: 12}
	plot.Inside = func(a *chart.Axes) { s.drawChoices(a, shown, all) }
	return plot
}

func (s *scene) drawChoices(a *chart.Axes, shown, all []choice) {
	limit := []chart.Point{chart.At(a.X(1), a.Bottom), chart.At(a.X(1), a.Top)}
	a.Pen.Stroke(limit, chart.Ink, 0.9, 4, 3)
	a.Avoid(limit)
	a.Place("limit", chart.SmallLetters, []chart.Point{chart.At(a.X(1)+5, a.Top+10)})
	s.drawControl(a, shown, all)
	corners := []chart.Point{chart.At(a.Left+6, a.Bottom-8), chart.At(a.X(1)+8, a.Bottom-8)}
	a.Place("← stricter   ↓ cheaper", chart.FigureLetters, corners)
	var ends []chart.LineEnd
	joined := slices.Clone(shown)
	slices.SortStableFunc(joined, func(p, q choice) int { return cmp.Compare(p.serverUS, q.serverUS) })
	for _, c := range joined {
		ends = append(ends, s.drawChoice(a, c, shown))
	}
	a.PlaceAll(ends, markRadius, chart.FigureLetters)
	for i, c := range joined {
		a.Pen.Dot(ends[i].At, markRadius+1.3, chart.Paper) // a rim, where points lie on each other
		markOf[c.result](a.Pen, ends[i].At, chart.Color(c.label))
	}
}

// drawChoice draws a point, and joins it to the same algorithm's in the result before. Only the first has a label.
func (s *scene) drawChoice(a *chart.Axes, c choice, shown []choice) chart.LineEnd {
	q, color := a.At(c.overshoot, c.serverUS), chart.Color(c.label)
	end := chart.LineEnd{At: q, Color: color, Label: chart.Shorten(c.label, 230, chart.FigureLetters)}
	for _, other := range shown {
		if other.label == c.label && other.result < c.result {
			from := a.At(other.overshoot, other.serverUS)
			a.Pen.Stroke([]chart.Point{from, q}, chart.Tint(color, 0.5), 1.2)
			end.Label = ""
		}
	}
	return end
}

// drawControl draws what answering alone costs: no choice, but the floor of every one.
func (s *scene) drawControl(a *chart.Axes, shown, all []choice) {
	if len(shown) == len(all) {
		return
	}
	named := false
	for _, c := range all {
		if c.label != control {
			continue
		}
		level := a.Level(c.serverUS)
		a.Pen.Stroke(level, chart.Color(control), 1.6, lineOf[c.result]...)
		a.Avoid(level)
		if !named {
			named = true
			text := "the control none, which admits everything"
			a.Place(text, chart.SmallLetters,
				[]chart.Point{chart.At(a.Right-chart.SmallLetters.Width(text)-4, level[0].Y-4)})
		}
	}
}

func (s *scene) choiceKeys() []chart.Key {
	if !s.several() {
		return nil
	}
	var keys []chart.Key
	for i, name := range s.names {
		keys = append(keys, markKey(name, markOf[i]))
	}
	return keys
}
