package benchchart

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// overshoot is the picture on which one chooses: how far an algorithm lets one go above the limit, against what a
// decision costs the server.
func (s *scene) overshoot(scenario string) (drawing.Picture, bool) {
	name := scenario + ".cost-overshoot"
	choices, traffic := s.choices(scenario)
	if len(choices) == 0 {
		s.leave(name, "the server did not tell what a call cost it, or the exact decisions are missing")
		return drawing.Picture{}, false
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
	return drawing.Picture{Name: name, Page: p, Data: s.choiceData(choices, traffic)}, true
}

// firstRun is the scenario in the first recording that has it, and all recordings that do.
func (s *scene) firstRun(scenario string) (*recording.Run, []*recording.Recording) {
	var first *recording.Run
	var of []*recording.Recording
	for _, r := range s.recordings {
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

func overshootAxis(choices []choice) drawing.Axis {
	unit := "most admitted in a window ÷ limit"
	low, top := 1.0, 1.2
	for _, c := range choices {
		top = max(top, c.overshoot)
		if c.overshoot > 0 {
			low = min(low, c.overshoot)
		}
	}
	if top <= crowded {
		return drawing.Amounts(top, 60, unit)
	}
	return drawing.Logarithmic(low*0.8, top*1.1, 60, unit+", logarithmic", drawing.Short)
}

func (s *scene) choicePlot(shown, all []choice) drawing.Plot {
	top := 0.0
	for _, c := range all {
		top = max(top, c.serverUS)
	}
	plot := drawing.Plot{Horizontal: overshootAxis(shown), Vertical: drawing.Amounts(top, 44, "server µs per decision"),
		Height: max(320, 14*float64(len(shown))), Beside: 12}
	plot.Inside = func(a *drawing.Axes) { s.drawChoices(a, shown, all) }
	return plot
}

func (s *scene) drawChoices(a *drawing.Axes, shown, all []choice) {
	limit := []drawing.Point{drawing.At(a.X(1), a.Bottom), drawing.At(a.X(1), a.Top)}
	a.Pen.Stroke(limit, drawing.Ink, 0.9, 4, 3)
	a.Avoid(limit)
	a.Place("limit", drawing.SmallLetters, []drawing.Point{drawing.At(a.X(1)+5, a.Top+10)})
	s.drawControl(a, shown, all)
	corners := []drawing.Point{drawing.At(a.Left+6, a.Bottom-8), drawing.At(a.X(1)+8, a.Bottom-8)}
	a.Place("← stricter   ↓ cheaper", drawing.FigureLetters, corners)
	var ends []drawing.LineEnd
	joined := slices.Clone(shown)
	slices.SortStableFunc(joined, func(p, q choice) int { return cmp.Compare(p.serverUS, q.serverUS) })
	for _, c := range joined {
		ends = append(ends, s.drawChoice(a, c, shown))
	}
	a.PlaceAll(ends, markRadius, drawing.FigureLetters)
	for i, c := range joined {
		a.Pen.Dot(ends[i].At, markRadius+1.3, drawing.Paper) // a rim, where points lie on each other
		markOf[c.recording](a.Pen, ends[i].At, drawing.Color(c.label))
	}
}

// drawChoice draws a point, and joins it to the same algorithm's in the recording before. Only the first has a label.
func (s *scene) drawChoice(a *drawing.Axes, c choice, shown []choice) drawing.LineEnd {
	q, color := a.At(c.overshoot, c.serverUS), drawing.Color(c.label)
	end := drawing.LineEnd{At: q, Color: color, Label: drawing.Shorten(c.label, 230, drawing.FigureLetters)}
	for _, other := range shown {
		if other.label == c.label && other.recording < c.recording {
			from := a.At(other.overshoot, other.serverUS)
			a.Pen.Stroke([]drawing.Point{from, q}, drawing.Tint(color, 0.5), 1.2)
			end.Label = ""
		}
	}
	return end
}

// drawControl draws what answering alone costs: no choice, but the floor of every one.
func (s *scene) drawControl(a *drawing.Axes, shown, all []choice) {
	if len(shown) == len(all) {
		return
	}
	named := false
	for _, c := range all {
		if c.label != control {
			continue
		}
		level := a.Level(c.serverUS)
		a.Pen.Stroke(level, drawing.Color(control), 1.6, lineOf[c.recording]...)
		a.Avoid(level)
		if !named {
			named = true
			text := "the control none, which admits everything"
			a.Place(text, drawing.SmallLetters, []drawing.Point{drawing.At(a.Right-drawing.SmallLetters.Width(text)-4, level[0].Y-4)})
		}
	}
}

func (s *scene) choiceKeys() []drawing.Key {
	if !s.several() {
		return nil
	}
	var keys []drawing.Key
	for i, name := range s.names {
		keys = append(keys, markKey(name, markOf[i]))
	}
	return keys
}
