package main

import (
	"fmt"
	"io"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
)

// measured is the result of --bench, or nil without the flag. One of other scenarios is refused.
func (f *flags) measured(job *simulate.Job, pictures []string) (*benchresult.Document, error) {
	if f.bench == "" {
		return nil, nil
	}
	if len(pictures) == 0 {
		return nil, commandline.Usage("--bench: goes with index.html, which --charts none does without")
	}
	bench, err := benchresult.Read(f.bench)
	if err != nil {
		return nil, commandline.Usage("--bench: %w", err)
	}
	asked := func(p benchresult.Play) bool {
		return slices.ContainsFunc(job.Scenarios, func(s *scenario.Scenario) bool { return s.Name == p.Scenario })
	}
	if !slices.ContainsFunc(bench.Runs, asked) {
		return nil, commandline.Usage("--bench %s: none of these scenarios was measured there", message.Path(f.bench))
	}
	return bench, nil
}

// noteUnshown names the scenarios that were measured under another limit or seed: figures of both would not belong
// together.
func noteUnshown(w io.Writer, bench *benchresult.Document, doc *report.Document) {
	if bench == nil {
		return
	}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		there := func(p benchresult.Play) bool { return p.Scenario == r.Scenario }
		if slices.ContainsFunc(bench.Runs, there) && bench.Of(r.Scenario, r.Limit, r.Seed) == nil {
			fmt.Fprintf(w, "simulate: --bench: %s was measured under another limit or seed, and is not shown\n",
				message.Shown(r.Scenario))
		}
	}
}
