package main

import (
	"time"

	"ratelab/internal/bench"
	"ratelab/internal/commandline"
)

// progress shows on a terminal what is being measured and how long it will go on.
type progress struct{ *commandline.Bar }

// Step moves the bar to what is done.
func (p progress) Step(name string, done, total time.Duration) { p.Remaining(name, done, total) }

// watched does the job while a bar shows how far it is.
func watched[T any](a *app, quiet bool, job func(bench.Progress) (T, error)) (T, error) {
	bar := a.NewBar(quiet)
	defer bar.Finish()
	return job(progress{bar})
}
