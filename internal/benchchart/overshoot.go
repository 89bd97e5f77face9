package benchchart

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// choice is one algorithm of one recording as a point: how strict it is, and what it costs.
type choice struct {
	label     string
	recording int
	overshoot float64
	peak      int64
	serverUS  float64
}

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
		fmt.Sprintf("Under %s, limit %s, %s: the most admitted within any window, as a multiple of the limit, against the server's cost %s.",
			run.Scenario, policy(run.Limit), connections(of), traffic), of, run)
	plot := s.choicePlot(shown, choices)
	p = figure(p, s.choiceKeys(), plot.Total(), plot.Draw)
	return drawing.Picture{Name: name, Page: p, Data: s.choiceData(choices, traffic)}, true
}

// noteWithoutChoice names the recordings of the scenario that have no point.
func (s *scene) noteWithoutChoice(picture, scenario string, choices []choice) {
	for i, r := range s.recordings {
		if runOf(r, scenario) != nil && !slices.ContainsFunc(choices, func(c choice) bool { return c.recording == i }) {
			s.leave(picture, s.names[i]+" did not tell what a call cost it, or its exact decisions are missing")
		}
	}
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

// choices takes the cost under the scenario's own traffic where every row has it, and else that of the half mix.
func (s *scene) choices(scenario string) ([]choice, string) {
	own := s.collect(scenario, func(_ *recording.Recording, row *recording.Row) *float64 { return row.Open.ServerUSPerCall })
	half := s.collect(scenario, func(r *recording.Recording, row *recording.Row) *float64 {
		if m := mixOf(r, row.Algorithm, recording.MixHalf); m != nil {
			return m.ServerUSPerCall
		}
		return nil
	})
	if len(own) >= len(half) {
		return own, underScenario
	}
	return half, underHalf
}

func (s *scene) collect(scenario string, costUS func(*recording.Recording, *recording.Row) *float64) []choice {
	var all []choice
	for i, r := range s.recordings {
		run := runOf(r, scenario)
		if run == nil {
			continue
		}
		for k := range run.Rows {
			row := &run.Rows[k]
			if cost := costUS(r, row); cost != nil && row.Exact != nil {
				all = append(all, choice{row.Algorithm, i, row.Exact.Overshoot, row.Exact.PeakWindowAdmitted, *cost})
			}
		}
	}
	return all
}

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
	a.Place("← stricter   ↓ cheaper", drawing.FigureLetters, []drawing.Point{drawing.At(a.Left+6, a.Bottom-8), drawing.At(a.X(1)+8, a.Bottom-8)})
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
		a.Pen.Stroke(level, drawing.Floor, 1.6, lineOf[c.recording]...)
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

func (s *scene) choiceData(choices []choice, traffic string) []byte {
	t := newTable("server", "algorithm", "overshoot", "peak_window_admitted", "server_us_per_decision", "cost_measured")
	for _, c := range choices {
		t.add(s.names[c.recording], c.label, c.overshoot, c.peak, c.serverUS, traffic)
	}
	return t.bytes()
}
