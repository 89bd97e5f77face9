package chart

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// OfBench draws what a benchmark found, one figure for each scenario that was played: <scenario>.admitted-latency, what
// was offered and admitted, and response times, over the scenario's time. The notes name what cannot be drawn, with the
// reason. An error is a result that cannot be drawn.
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

// benchFooter says what was measured on which machine, when and by what.
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

// serverName is the text of the data's first column.
func serverName(r *result.Document) string {
	return strings.TrimSpace(r.Server.Name + " " + r.Server.Version)
}
