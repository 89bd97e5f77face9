package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/bench"
	"ratelab/internal/cli"
	"ratelab/internal/counting"
	"ratelab/internal/load"
	"ratelab/internal/result"
)

// compareSides counts both sides and compares them.
func (a *app) compareSides(ctx context.Context, f *compareFlags, args []string) error {
	sides, err := f.Limiters()
	if err != nil {
		return err
	}
	list, err := cli.LoadScenarios(args)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	job := &bench.Comparison{
		Sides: sides, Scenarios: list, Server: f.redis, WithoutInstructions: f.without, States: f.states.Value,
		Now: time.Now, Sleep: load.Wait, Stop: a.Stop, Progress: progress{bar},
	}
	if err := job.Check(); err != nil {
		return err
	}
	doc, err := job.Run(ctx)
	bar.Finish()
	if err != nil {
		return countingFault(err)
	}
	doc.Tool.Version = cli.Version(version)
	err = counting.Forms.Write(a.Stdout, f.Format.Value, doc, a.Terminal(f.Quiet))
	if err != nil {
		return err
	}
	return verdict(&doc.Verdicts[0])
}

// verdict is the exit code of a comparison, with the first finding.
func verdict(v *result.Verdict) error {
	code, known := map[result.Outcome]int{result.Regression: cli.ExitMissed,
		result.Inconclusive: cli.ExitInconclusive}[v.Outcome]
	if !known {
		return nil
	}
	more := ""
	if n := len(v.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return cli.Exit(code, errors.New(v.Findings[0]+more))
}

// countingFault words what kept from counting.
func countingFault(err error) error {
	var missing *counting.Missing
	switch {
	case errors.Is(err, bench.ErrStopped):
		return fmt.Errorf("%w: nothing was compared", cli.ErrInterrupted)
	case errors.As(err, &missing):
		return cli.Exit(cli.ExitInconclusive,
			fmt.Errorf("%w; --without-instructions compares the rest", err))
	}
	return serverFault(err, privateServers)
}
