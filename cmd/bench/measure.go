package main

import (
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/cli"
	"ratelab/internal/load"
	"ratelab/internal/scenario"
)

// measure is the main job. If it fails nothing is printed and the files are as they were.
func (a *app) measure(c *cobra.Command, f *runFlags, args []string) error {
	f.shorten(c.Flags().Changed)
	job, err := a.job(f, args)
	if err != nil {
		return err
	}
	pictures, err := f.Charts(false)
	if err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return err
	}
	if err := cli.CheckFolder("--out", f.Folder, f.Force); err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	job.Progress = bar.Count
	found, err := job.Run(c.Context())
	bar.Finish()
	if err != nil {
		return serverFault(err, serverKinds)
	}
	return a.deliver(&f.Output, pictures, found, job.Kept)
}

// quickRounds are enough to say how far the same code differs from itself.
const quickRounds = 2

// shorten sets what --quick stands for, unless a flag says otherwise.
func (f *runFlags) shorten(given func(name string) bool) {
	if f.quick && !given("rounds") {
		f.rounds.Value = quickRounds
	}
}

// job is what the flags and arguments ask for.
func (a *app) job(f *runFlags, args []string) (*bench.Job, error) {
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	instead, err := f.Instead()
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(args, instead.Limit, func() ([]*scenario.Scenario, error) {
		if f.quick {
			return cli.LoadScenarios(defaultScenarios[1:])
		}
		return cli.LoadScenarios(defaultScenarios)
	})
	if err != nil {
		return nil, err
	}
	job := &bench.Job{
		Scenarios: list, Algorithms: choices, Scripts: f.Scripts, Server: f.redis, Instead: instead,
		Rounds: f.rounds.Value, Wish: load.Wish{From: f.from.Value, For: f.length.Value},
		WarmUp: f.warmUp.Value, Connections: f.connections.Value, RepeatInvalid: f.repeatInvalid.Value,
		Version: cli.Version(version), Now: time.Now, Sleep: load.Wait, Stop: a.Stop,
	}
	return job, nil
}
