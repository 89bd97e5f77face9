package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
)

const aboutRun = `Play scenarios on the wall clock against every limiter on a real server: what is admitted there
and in virtual time, response times, and the server's time for each decision. Each round plays
each scenario against each limiter, with the window's edges where the scenario has them. Without
names it plays extreme-case-1 against six limiters and none, in less than two minutes.`

// The default scenario has bursts on both sides of a window's edge, of which algorithms admit very different amounts.
// The quick scenario is shorter.
const defaultScenario, quickScenario = "extreme-case-1", "ten-times-over"

// serverKinds are the values of --redis.
const serverKinds = "process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or " +
	"unix:///SOCKET"

// runFlags are the flags of bench run.
type runFlags struct {
	cli.Limiters
	cli.Traffic
	cli.Output

	redis                              string
	quick, saturate                    bool
	rounds, connections, repeatInvalid cli.Value[int]
	from, length, warmUp               cli.Value[time.Duration]
}

// run returns the command that measures.
func (a *app) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [scenario or file …]", Short: "Measure limiters on a real server", Long: aboutRun,
		ValidArgsFunction: cli.CompleteScenarios,
		RunE:              func(c *cobra.Command, args []string) error { return a.measure(c, &f, args) },
	}
	f.register(c, a.Streams)
	return c
}

func (f *runFlags) register(c *cobra.Command, s cli.Streams) {
	f.AlgorithmsFlag(c)
	f.ScriptFlag(c)
	f.LimitFlags(c)
	f.Traffic.Register(c, s, true)
	f.rounds = cli.Count(bench.DefaultRounds, 1, 1000)
	f.from = cli.Duration(0, 0, limit.MaxWindow)
	f.length = cli.Duration(0, 10*time.Millisecond, load.Longest)
	f.warmUp = cli.Duration(bench.DefaultWarmUp, 0, time.Hour)
	f.connections = cli.Count(bench.DefaultConnections, 1, 1000)
	f.repeatInvalid = cli.Count(0, 0, 100)
	cli.ServerFlag(c, &f.redis, "", "process, container, redis://…, unix://… (default: found)")
	fs := c.Flags()
	fs.BoolVar(&f.quick, "quick", false, "default scenario "+quickScenario+", which is shorter")
	fs.BoolVar(&f.saturate, "saturate", false, "also measure max/s of each limiter, in a closed loop of 2 s")
	fs.Var(&f.rounds, "rounds", "play everything `N` times, in another order each time")
	fs.Var(&f.from, "from", "skip the first `TIME` of each scenario")
	fs.Var(&f.length, "for", "play `TIME` of each scenario, at most 1m30s")
	fs.Var(&f.warmUp, "warm-up", "`TIME` before each measurement that is not counted")
	fs.Var(&f.connections, "connections", "`N` connections")
	fs.Var(&f.repeatInvalid, "repeat-invalid", "repeat a disturbed measurement at most `N` times")
	f.FormatFlag(c, report.BenchmarkFormats.Names())
	f.FolderFlags(c, "results/latest-bench", "bench.json and charts")
	f.QuietFlag(c)
}

// measure is the main command. If it fails, it prints nothing and changes no files.
func (a *app) measure(c *cobra.Command, f *runFlags, args []string) error {
	job, err := f.job(c.Context(), args)
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

// job returns the job that the flags and arguments describe.
func (f *runFlags) job(ctx context.Context, args []string) (*bench.Job, error) {
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	instead, err := f.Instead()
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(ctx, args, instead.Limit, func() ([]*scenario.Scenario, error) {
		if f.quick {
			return cli.LoadScenarios([]string{quickScenario})
		}
		return cli.LoadScenarios([]string{defaultScenario})
	})
	if err != nil {
		return nil, err
	}
	return &bench.Job{
		Scenarios: list, Algorithms: choices, Scripts: f.Scripts, Server: f.redis, Instead: instead,
		Rounds: f.rounds.Value, Wish: load.Wish{From: f.from.Value, For: f.length.Value},
		WarmUp: f.warmUp.Value, Connections: f.connections.Value, RepeatInvalid: f.repeatInvalid.Value,
		Saturate: f.saturate,
		Version:  cli.Version(version), Clock: load.Wall,
	}, nil
}
