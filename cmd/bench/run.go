package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/load"
	"ratelab/internal/scenario"
)

// run is the command that measures.
func (a *app) run() *cobra.Command {
	var f runFlags
	f.Streams = a.Streams
	c := &cobra.Command{
		Use:               "run [scenario or file …] [flags]",
		Short:             "Measure scenarios and algorithms on a real server",
		Long:              aboutRun,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: commandline.CompleteScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.measure(cmd.Context(), &f, args)
		},
	}
	f.register(c)
	commandline.Help(c, f.Groups, "")
	return c
}

// measure is the main job. If it fails nothing is printed and the files are as they were.
func (a *app) measure(ctx context.Context, f *runFlags, args []string) error {
	job, err := a.job(f, args)
	if err != nil {
		return err
	}
	if f.shard.Of > 0 {
		return a.measureShard(ctx, f, job)
	}
	pictures, err := f.ChartFormats(false)
	if err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return err
	}
	if err := refuseForeign(f.Folder); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	found, err := watched(a, f.Quiet, func(p bench.Progress) (*benchresult.Document, error) {
		job.Progress, job.Notice = p, a.Notices("bench", f.Quiet)
		return job.Run(ctx)
	})
	if err != nil {
		giveBack()
		return serverFault(err)
	}
	return a.deliver(&f.Output, pictures, found)
}

// job is what the flags and arguments ask for.
func (a *app) job(f *runFlags, args []string) (*bench.Job, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	f.shrink()
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	instead, err := f.Instead(f.Groups)
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(args, instead.Limit, f.Groups, f.usual)
	if err != nil {
		return nil, err
	}
	job := &bench.Job{
		Scenarios: list, Algorithms: choices, Scripts: f.Scripts, Server: f.redis,
		AllowEviction: f.eviction, Instead: instead,
		Rounds: f.rounds.Value, Wish: f.wish(), WarmUp: orNone(f.warmUp.Value), Segment: f.segment.Value,
		Connections: f.connections.Value, Sweep: f.sweep.Values, Fills: bench.DefaultFills(),
		RepeatInvalid: f.repeatInvalid.Value,
		Version:       commandline.Version(version), Now: time.Now, Sleep: load.Wait, Stop: a.Stop,
	}
	if f.noSweep {
		job.Sweep = []int{}
	}
	if f.noMemory {
		job.Fills = []int64{}
	}
	return job, nil
}

// usual are the scenarios where none is named.
func (f *runFlags) usual() ([]*scenario.Scenario, error) {
	if f.quick {
		return commandline.LoadScenarios([]string{"ten-times-over"})
	}
	return commandline.LoadScenarios(defaultScenarios)
}

// orNone is the warm-up as a job wants it, for which 0 is nothing said and less is none.
func orNone(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}
