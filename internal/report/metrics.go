package report

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// metric is one figure of a document, for tools that keep a history.
type metric struct {
	name, unit        string
	scenario, limiter string
	value             float64
	low, high         *float64 // the range over the rounds of bench run; nil: none
	smaller           bool     // is better
}

// metrics returns all figures of a document: of each row in virtual time, of each measurement, or of the head of a
// comparison.
func metrics(d *result.Document) (all []metric) {
	for i := range d.Runs {
		run := &d.Runs[i]
		if d.Measurement != nil {
			all = append(all, ofPlays(d, run)...)
			continue
		}
		for _, row := range run.Results {
			for _, m := range counts() {
				if v := m.Value(&row.Figures); v.Known {
					all = append(all, metric{name: m.Name, unit: string(m.Unit), scenario: run.Scenario,
						limiter: row.Algorithm, value: v.Number, smaller: m.Better == measure.Lower})
				}
			}
		}
	}
	for i := range d.Verdicts {
		for c := range cases(&d.Verdicts[i]) {
			if head, counted := c.Head.(float64); counted {
				unit := measure.PerDecision
				if m, _ := measure.Find(c.Measure); m != nil {
					unit = m.Unit
				}
				all = append(all, metric{name: c.Measure, unit: string(unit), scenario: c.Where, limiter: c.Limiter,
					value: head, smaller: true})
			}
		}
	}
	return all
}

// ofPlays returns the median over the rounds of each figure of a run, with its range.
func ofPlays(d *result.Document, run *result.Run) (all []metric) {
	for _, p := range d.Plays(run) {
		for _, c := range benchColumns {
			var values []float64
			for k := range p.Rounds {
				if v := roundFigures(&p, &p.Rounds[k])[c.name]; v != nil {
					values = append(values, *v)
				}
			}
			if values == nil || c.unit == "" {
				continue
			}
			m := metric{name: c.name, unit: c.unit, scenario: run.Scenario, limiter: p.Algorithm,
				value: result.Median(values), smaller: strings.HasPrefix(c.metadata, better)}
			if len(values) > 1 {
				m.low, m.high = new(slices.Min(values)), new(slices.Max(values))
			}
			all = append(all, m)
		}
	}
	return all
}

// place returns the scenario and the limiter as one name.
func (m *metric) place() string {
	return message.Visible(strings.TrimPrefix(m.scenario+" / "+m.limiter, " / "))
}

// noName matches characters that a name of OpenMetrics may not have.
var noName = regexp.MustCompile(`[^a-zA-Z0-9_]+`)

// writeOpenMetrics writes each metric as a gauge with the labels scenario and limiter. Source: OpenMetrics 1.0, "Text
// format".
func writeOpenMetrics(w io.Writer, all []metric) error {
	var out strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var names []string
	of := map[string][]metric{}
	for _, m := range all {
		name := "ratelab_" + noName.ReplaceAllString(m.name, "_")
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], m)
	}
	for _, name := range names {
		fmt.Fprintf(&out, "# TYPE %s gauge\n# HELP %s %s\n", name, name, of[name][0].unit)
		for _, m := range of[name] {
			fmt.Fprintf(&out, "%s{scenario=\"%s\",limiter=\"%s\"} %s\n", name,
				escape.Replace(message.Visible(m.scenario)), escape.Replace(message.Visible(m.limiter)), Float(m.value))
		}
	}
	_, err := io.WriteString(w, out.String()+"# EOF\n")
	return err
}

// writeBenchmarkAction writes the metrics that are better if smaller, as customSmallerIsBetter of
// github.com/benchmark-action/github-action-benchmark.
func writeBenchmarkAction(w io.Writer, all []metric) error {
	type entry struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Range string  `json:"range,omitempty"`
	}
	entries := []entry{}
	for _, m := range all {
		if !m.smaller {
			continue
		}
		e := entry{Name: m.place() + " / " + m.name, Unit: m.unit, Value: m.value}
		if m.low != nil {
			e.Range = Float(*m.low) + " to " + Float(*m.high)
		}
		entries = append(entries, e)
	}
	return writeJSON(w, entries)
}

// writeBMF writes the Bencher Metric Format of bencher.dev: the measures of each scenario and limiter.
func writeBMF(w io.Writer, all []metric) error {
	type figure struct {
		Value float64  `json:"value"`
		Low   *float64 `json:"lower_value,omitempty"`
		High  *float64 `json:"upper_value,omitempty"`
	}
	places := map[string]map[string]figure{}
	for _, m := range all {
		if places[m.place()] == nil {
			places[m.place()] = map[string]figure{}
		}
		places[m.place()][m.name] = figure{m.value, m.low, m.high}
	}
	return writeJSON(w, places)
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
