package chart

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// OfBench draws the results of bench run, one figure for each scenario that was played. The figure
// <scenario>.admitted-latency has the offered and the admitted requests, and the response times, over the scenario's
// time. The notes name the figures that cannot be drawn, with the reason. The error means that the result cannot be
// drawn.
func OfBench(r *result.Document) (figures []*Figure, notes []string, err error) {
	if len(r.Runs) == 0 {
		return nil, nil, errors.New("chart: a result without scenarios: nothing to draw")
	}
	for i := range r.Runs {
		name := r.Runs[i].Scenario
		if name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			return nil, nil, fmt.Errorf("chart: scenario %q is not a file name", name)
		}
		if f, note := admittedLatency(r, &r.Runs[i]); f == nil {
			notes = append(notes, note)
		} else {
			figures = append(figures, f)
		}
	}
	return figures, notes, nil
}

// benchFooter names the scenario, the server, the machine, the program's version and the date.
func benchFooter(r *result.Document, run *result.Run) string {
	parts := []string{run.Scenario, fmt.Sprintf("seed %d", run.Seed), r.Server.String()}
	if m := r.Machine; m.CPU != "" {
		parts = append(parts, m.CPU+", "+message.Count(m.Cores, "core"))
	}
	parts = append(parts, "ratelab "+r.Tool.Version, r.Started.UTC().Format("2006-01-02"))
	return strings.Join(parts, "  ·  ")
}

// status warns of invalid or incomplete figures, before everything else.
func status(r *result.Document) (text string) {
	if fault := r.Fault(); fault != "" {
		text = fault + ". "
	}
	if r.Partial {
		text += partial
	}
	return text
}

// serverName returns the text of the data's first column.
func serverName(r *result.Document) string {
	return strings.TrimSpace(r.Server.Name + " " + r.Server.Version)
}

// admittedLatency shows on one axis of time what was admitted, and how long the answers took.
//
// Note: on one connection, a PING 20 ms after the previous one took five to ten times as long as one right after it.
// One after 1 ms took twice as long, even if the client did not sleep in between.
func admittedLatency(r *result.Document, run *result.Run) (*Figure, string) {
	const name = "admitted-latency"
	p := curves.NewPlayed(r, run)
	if p == nil {
		return nil, run.Scenario + "." + name + ": nothing was played, or the result does not say how " +
			"it went over time"
	}
	title := run.Question
	if title == "" {
		title = "What was admitted, and how long did the answers take?"
	}
	f := &Figure{Name: run.Scenario + "." + name, Title: title, Subtitle: status(r) + fmt.Sprintf("%s, played on %s "+
		"over %s. Limit %s. Above: requests per second, of one round; in the middle: the most that is known to have "+
		"been admitted for one key in the last %s; below: response time from when a request was due, p50 where an "+
		"interval has %d answers and p99 where it has %d.", run.Scenario, serverName(r),
		message.Count(r.Settings.Connections, "connection"), policy(run.Limit), report.Each(run.Limit.WindowUS),
		curves.LeastForP50, curves.LeastForP99),
		Footer: benchFooter(r, run) + "  ·  " + trust(r, len(r.Plays(run)[0].Rounds))}
	if r.Validity.Valid && p.FasterWhenBusy() {
		f.Subtitle += " Response times fall as the rate rises: after a pause a request has to wake the server."
	}
	f.Data = playedData(r, run)

	s := newPlayedScales(p)
	f.x = Time(0, float64(p.FromUS), float64(p.EndUS), 40)
	_, height := gridOf(len(p.Rows), 3)
	f.strips = []Axis{Amounts(s.perS, 30, "per second"),
		Counts(float64(s.peak), height, "in the last "+report.Each(p.Limit.WindowUS))}
	if s.high > 0 { // some interval has enough answers
		f.strips = append(f.strips, Logarithmic(s.low, s.high, 26, "response time", report.Natural))
	}
	for i, c := range p.Window().Curves {
		row := &p.Rows[i]
		f.columns = append(f.columns, column{c.Label, Color(c.Label), c.Fact, []func(*panel){
			func(panel *panel) { s.drawRates(panel, row) },
			func(panel *panel) { s.drawLevel(panel, c) },
			func(panel *panel) { s.drawResponses(panel, row) },
		}})
	}
	line := "limit"
	if s.line != line {
		line += "; in the middle " + s.line
	}
	f.keys = []key{areaKey("offered", Offered), areaKey("admitted", tint(Ink, 0.45)),
		lineKey(line, Ink, 0.9, limitDashes...), lineKey("admitted p50", Ink, 2.2), lineKey("admitted p99", Ink, 1),
		lineKey("rejected p50", Ink, 1.5, rejectedDashes...), lineKey("rejected p99", Ink, 0.8, rejectedDashes...)}
	return f, ""
}

// trust returns the number of rounds and how reliable the times are.
func trust(r *result.Document, rounds int) string {
	valid := "valid"
	if !r.Validity.Valid {
		valid = "INVALID"
	}
	return message.Count(rounds, "round") + "  ·  " + report.NoiseFloor(r.NoiseFloor) + "  ·  " + valid
}

// playedScales are the scales that the columns share.
type playedScales struct {
	*curves.Played
	perS      float64 // the highest rate
	allowed   int64   // the most that the contract allows in a window
	line      string  // the name of allowed
	peak      int64   // the highest sum in a window
	low, high float64 // the range of the response times in µs; 0 if there are no times
}

func newPlayedScales(p *curves.Played) *playedScales {
	s := &playedScales{Played: p}
	s.allowed, s.line = curves.Chart{Limit: p.Limit}.Allows()
	s.peak = s.allowed
	if p.OneKey {
		s.perS = p.LimitPerS()
	}
	offered := 0.0
	for _, row := range p.Rows {
		s.perS = max(s.perS, slices.Max(row.AdmittedPerS))
		offered = max(offered, slices.Max(row.OfferedPerS))
		s.peak = max(s.peak, row.Top)
		admitted, rejected := row.Admitted, row.Rejected
		for _, us := range slices.Concat(admitted.P50US, admitted.P99US, rejected.P50US, rejected.P99US) {
			if us > 0 && (s.low == 0 || us < s.low) {
				s.low = us
			}
			s.high = max(s.high, us)
		}
	}
	s.low = max(s.low, result.LowestUS)
	if offered > dwarfing*s.perS {
		s.perS *= 1.5 // the offered rate is cut off
	} else {
		s.perS = max(s.perS, offered)
	}
	return s
}

func (s *playedScales) drawRates(p *panel, row *curves.PlayedRow) {
	b := bins{s.FromUS, s.RateUS, s.EndUS, s.perS}
	offered := steps(b, row.OfferedPerS)
	p.flow(offered, steps(b, row.AdmittedPerS))
	if s.OneKey { // the limit applies per key
		p.line(level(offered, s.LimitPerS()), Ink, 0.9, limitDashes...)
	}
	if most := slices.Max(row.OfferedPerS); most > s.perS {
		p.label("offered "+report.Short(math.Round(most)), smallLetters, summit(offered))
	}
}

// drawLevel marks the first moment of the peak: 1,979 of 1,000.
func (s *playedScales) drawLevel(p *panel, c curves.Curve) {
	b := bins{s.FromUS, s.LevelUS, s.EndUS, float64(s.peak)}
	p.overshoot(b, c, float64(s.allowed), nil)
	p.peak(b, c, " of "+message.Grouped(s.allowed), "")
}

// drawResponses draws lines of the p50 and the p99 of the response times. The lines of rejected requests are in front.
func (s *playedScales) drawResponses(p *panel, row *curves.PlayedRow) {
	stretches := func(us []float64, width vg.Length, dashes ...vg.Length) {
		c := p.color
		if dashes != nil {
			c = Ink
		}
		for _, line := range s.stretches(us) {
			p.line(line, c, width, dashes...)
		}
	}
	stretches(row.Admitted.P99US, 1)
	stretches(row.Admitted.P50US, 2.2)
	stretches(row.Rejected.P99US, 0.8, rejectedDashes...)
	stretches(row.Rejected.P50US, 1.5, rejectedDashes...)
}

// stretches returns lines of response times over their intervals, with a gap for an interval without a time.
func (s *playedScales) stretches(us []float64) (all []plotter.XYs) {
	b := bins{s.FromUS, s.IntervalUS, s.EndUS, math.Inf(1)}
	for i, v := range us {
		if v == 0 {
			continue
		}
		if i == 0 || us[i-1] == 0 {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, point(b, float64(i), v), point(b, float64(i+1), v))
	}
	return all
}

// playedData returns the data. It has a line for each bucket of the course: sums over all rounds, and the highest sum
// in the window of any round. It has a line for each interval of the response times. It includes the control, and
// percentiles of few answers, with the number of answers.
func playedData(r *result.Document, run *result.Run) []byte {
	lines := [][]string{{"server", "algorithm", "rounds", "start_us", "width_us", "offered", "admitted", "rolling",
		"admitted_responses", "admitted_response_us_p50", "admitted_response_us_p99",
		"rejected", "rejected_response_us_p50", "rejected_response_us_p99"}}
	for _, row := range r.Plays(run) {
		add := func(startUS, widthUS int64, cells ...any) {
			line := []string{serverName(r), row.Algorithm}
			for _, cell := range append([]any{len(row.Rounds), run.Played.FromUS + startUS, widthUS}, cells...) {
				line = append(line, fmt.Sprint(cell))
			}
			lines = append(lines, line)
		}
		if c := row.Course; c != nil {
			for k, offered := range c.Offered {
				cells := []any{offered, 0, 0, "", "", "", "", "", ""}
				if k < len(c.Admitted) {
					cells[1] = c.Admitted[k]
				}
				if k < len(c.Rolling) {
					cells[2] = c.Rolling[k]
				}
				add(int64(k)*c.BucketUS, c.BucketUS, cells...)
			}
		}
		for _, interval := range row.Intervals {
			cells := append([]any{"", "", ""}, responseCells(interval.Admitted)...)
			add(interval.StartUS, interval.WidthUS, append(cells, responseCells(interval.Rejected)...)...)
		}
	}
	var out bytes.Buffer
	_ = report.WriteCSV(&out, lines) // writing to a bytes.Buffer never fails
	return out.Bytes()
}

// responseCells returns the number of answers, and their p50 and p99.
func responseCells(h *result.Histogram) []any {
	n := h.Count()
	if n == 0 {
		return []any{n, "", ""}
	}
	return []any{n, h.ValueAtPercentile(50), h.ValueAtPercentile(99)}
}
