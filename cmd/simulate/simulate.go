package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/internal/commandline"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
)

// simulate is the main job. If it fails nothing is printed but the matrix, and the files are as they were.
func (a *app) simulate(ctx context.Context, f *flags, args []string) error {
	if f.asksForLimits(args) {
		return a.look(&limitsFlags{Traffic: f.Traffic, Output: f.Output}, f.Groups)
	}
	job, err := a.job(f, args)
	if err != nil {
		return err
	}
	if job.Server == simulate.ModelServer {
		collectAt(modelsGCPercent)
	}
	if f.shard.Of > 0 {
		return a.shard(ctx, f, args, job)
	}
	pictures, err := f.ChartFormats(len(job.Scenarios) > fewScenarios)
	if err != nil {
		return err
	}
	bench, err := f.measured(job, pictures)
	if err != nil {
		return err
	}
	rows, err := f.rowsTarget(a.Stdout, args)
	if err != nil {
		return err
	}
	mine := outputs(scenarioNames(job.Scenarios), pictures)
	if err := commandline.RefuseForeign("--out", f.Folder, mine...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	printer := commandline.NewPrinter(a.Stdout)
	defer printer.Stop()
	figures, err := a.figures(ctx, f, job, printer)
	var result *simulate.Result
	if err == nil {
		a.foretell(ctx, f, job)
		result, err = a.run(ctx, f, job, rows)
	}
	if err != nil {
		giveBack()
		var differs *simulate.DifferenceError
		if errors.As(err, &differs) {
			return commandline.Exit(commandline.ExitMissed, err)
		}
		return commandline.ServerFlag(err, "redis", serverKinds)
	}
	if !f.Quiet {
		for _, w := range result.Warnings {
			fmt.Fprintf(a.Stderr, "simulate: warning: %s\n", message.Shown(w))
		}
	}
	printer.Print(func() error { return figures(&result.Document) })
	write := func() error { return a.write(&f.Output, f.again(args), result, bench, pictures, mine) }
	return printer.Deliver(write, outcome(f, result))
}

// run does the job, with its progress on a terminal and its decisions in the file rows.
func (a *app) run(ctx context.Context, f *flags, job *simulate.Job, rows string) (*simulate.Result, error) {
	bar := a.NewBar(f.Quiet)
	job.Progress, job.Notice = progressOf(bar, job.Scenarios), a.Notices("simulate", f.Quiet)
	defer bar.Finish()
	if decided := job.Decided; decided != nil {
		job.Decided = func(r *report.Run) {
			bar.Finish()
			decided(r)
		}
	}
	if rows != "" {
		return withDecisions(ctx, job, rows)
	}
	return job.Run(ctx)
}

// job is what the flags and arguments ask for.
func (a *app) job(f *flags, args []string) (*simulate.Job, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	instead, err := f.Instead(f.Groups)
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(args, instead.Limit, f.Groups, scenario.Builtin)
	if err != nil {
		return nil, err
	}
	job := a.newJob(list)
	job.Algorithms, job.Scripts = choices, f.Scripts
	job.Server, job.Clock, job.LongReal = f.redis, f.clock, f.longReal
	job.AllowEviction = f.eviction
	job.Instead = instead
	if f.HasTrace() && !choseRule(f.Groups) {
		job.Assumed = a.otherRules(job, f.shard.Shard)
	}
	return job, nil
}

func scenarioNames(list []*scenario.Scenario) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// again is the command line that asks for the same figures.
func (f *flags) again(args []string) string {
	return f.Again("simulate", args, "out", "format", "quiet", "decisions", "charts", "shard")
}

// newJob is a job on the embedded server in virtual time.
func (a *app) newJob(list []*scenario.Scenario) *simulate.Job {
	return &simulate.Job{
		Scenarios: list,
		Server:    "embedded",
		Clock:     simulate.VirtualClock,
		Version:   commandline.Version(version),
		Now:       time.Now,
		Sleep:     load.Wait,
		Stop:      a.Stop,
	}
}
