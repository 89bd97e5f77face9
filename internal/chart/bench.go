package chart

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// ofPlay and ofCosts are the charts of a benchmark's result, in the order of their files: those of each scenario that
// was played, and those of the costs. Each makes its figure, or says why there is none.
var (
	ofPlay  = []func(*result.Document, *result.Run) (*Figure, string){admittedLatency, latencyPercentile}
	ofCosts = []func(*result.Document) (*Figure, string){serverCost, throughput, memory}
)

// OfBench draws what a benchmark found:
//
//	<scenario>.admitted-latency    what was offered and let through, and response times, over the scenario's time
//	<scenario>.latency-percentile  response and service time by percentile
//	server-cost                    what an accepted and a rejected decision cost the server
//	throughput                     decisions per second against connections
//	memory                         bytes of a client's state as it fills
//
// What was not measured is not drawn; the notes name it, each with the reason, such as a server whose counters are not
// its own. An error is a result that cannot be drawn.
func OfBench(r *result.Document) (figures []*Figure, notes []string, err error) {
	if len(r.Runs) == 0 && len(r.Costs) == 0 {
		return nil, nil, errors.New("chart: a result without scenarios and without costs: nothing to draw")
	}
	add := func(f *Figure, note string) {
		if f == nil {
			notes = append(notes, note)
			return
		}
		figures = append(figures, f)
	}
	for i := range r.Runs {
		name := r.Runs[i].Scenario
		if name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			return nil, nil, fmt.Errorf("chart: scenario %q is not a file name", name)
		}
		for _, of := range ofPlay {
			add(of(r, &r.Runs[i]))
		}
	}
	for _, of := range ofCosts {
		add(of(r))
	}
	return figures, notes, nil
}

// benchFigure begins a figure. The play is nil where the figure is of no scenario.
func benchFigure(r *result.Document, play *result.Run, name, title, subtitle string) *Figure {
	var parts []string
	if play != nil {
		name = play.Scenario + "." + name
		parts = append(parts, play.Scenario, fmt.Sprintf("seed %d", play.Seed))
	}
	parts = append(parts, r.Server.String())
	if m := r.Machine; m.CPU != "" {
		parts = append(parts, m.CPU+", "+message.Count(m.Cores, "core"))
	}
	if play == nil && len(r.Runs) > 0 && !slices.ContainsFunc(r.Runs, func(p result.Run) bool {
		return p.Seed != r.Runs[0].Seed
	}) {
		parts = append(parts, fmt.Sprintf("seed %d", r.Runs[0].Seed))
	}
	parts = append(parts, "ratelab "+r.Tool.Version, r.Started.UTC().Format("2006-01-02"))
	return &Figure{Name: name, Title: title, Subtitle: status(r) + subtitle, Footer: strings.Join(parts, "  ·  ")}
}

// status warns of figures that are not to be trusted, or not complete, ahead of everything else.
func status(r *result.Document) (text string) {
	if v := r.Validity; !v.Valid {
		var codes []string
		for _, reason := range v.Reasons {
			if !slices.Contains(codes, reason.Code) {
				codes = append(codes, reason.Code)
			}
		}
		if codes == nil {
			codes = []string{"no reason given"}
		}
		text = fmt.Sprintf("INVALID: %s was not fit to measure (%s). ", result.Culprit(v.Reasons),
			strings.Join(codes, ", "))
	}
	if r.Partial {
		text += partial
	}
	return text
}

func connections(r *result.Document) string {
	return message.Count(r.Settings.Connections, "connection")
}

// rows writes data as CSV under a header, which names its columns with commas between.
func rows(header string, lines [][]any) []byte {
	var out bytes.Buffer
	// a bytes.Buffer takes everything
	_ = report.WriteCSV(&out, strings.Split(header, ","), func(yield func([]string) bool) {
		for _, line := range lines {
			cells := make([]string, len(line))
			for i, cell := range line {
				cells[i] = fmt.Sprint(cell)
			}
			if !yield(cells) {
				return
			}
		}
	})
	return out.Bytes()
}

// serverName is what stands in the data's first column.
func serverName(r *result.Document) string {
	return strings.TrimSpace(r.Server.Name + " " + r.Server.Version)
}
