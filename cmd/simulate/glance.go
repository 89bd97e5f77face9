package main

import (
	"context"
	"fmt"

	"ratelab/internal/commandline"
	"ratelab/internal/report"
	"ratelab/internal/simulate"
)

// fewScenarios are as many as people want to read a table of each.
const fewScenarios = 5

// atAGlance reports whether the answer is one matrix, and not a table for each scenario.
func (f *flags) atAGlance(job *simulate.Job) bool {
	return !f.all && f.Format == "table" && f.clock == simulate.VirtualClock && len(job.Scenarios) > fewScenarios
}

// glance prints the matrix, which the models alone decide in a second or two, and gives what they found. What the
// servers then decide confirms it.
func (a *app) glance(ctx context.Context, job *simulate.Job) (*report.Document, error) {
	models := *job
	models.Server, models.Scripts, models.Decisions, models.Progress = simulate.ModelServer, nil, nil, nil
	found, err := models.Run(ctx)
	if err != nil {
		return nil, err
	}
	if found.Interrupted {
		return nil, fmt.Errorf("%w: nothing was decided", commandline.ErrInterrupted)
	}
	return &found.Document, report.WriteMatrix(a.Stdout, &found.Document, commandline.Terminal(a.Stdout))
}
