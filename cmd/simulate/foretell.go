package main

import (
	"context"
	"fmt"

	"ratelab/internal/message"
	"ratelab/internal/simulate"
)

// foretell says of a log what the models decide, while the Lua has yet to confirm it: on a server a log takes ten times
// as long. Whatever keeps the models from an answer is left to the job to tell.
func (a *app) foretell(ctx context.Context, f *flags, job *simulate.Job) {
	if f.Quiet || !f.HasTrace() || job.Server == simulate.ModelServer || job.Clock != simulate.VirtualClock {
		return
	}
	bar := a.NewBar(false)
	defer bar.Finish()
	models := *job
	models.Server, models.Scripts, models.Decisions = simulate.ModelServer, nil, nil
	models.Decided, models.Assumed = nil, nil
	models.Progress = progressOf(bar, job.Scenarios)
	found, err := models.Run(ctx)
	if err != nil || found.Interrupted {
		return
	}
	bar.Finish()
	if said := found.Document.Runs[0].Briefly(); said != "" {
		a.early(said)
	}
}

// early says on standard error what the models say.
func (a *app) early(said string) {
	fmt.Fprintf(a.Stderr, "simulate: the models say: %s; confirming with the Lua ...\n", message.Shown(said))
}
