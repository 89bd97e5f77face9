package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/simulate"
	"ratelab/scenarios"
)

// simulate is the main job. Whatever fails, nothing is printed and the files are as they were.
func (a *app) simulate(ctx context.Context, f *flags, args []string) error {
	job, err := a.job(f, args)
	if err != nil {
		return err
	}
	pictures, err := f.chartFormats()
	if err != nil {
		return err
	}
	rows, err := f.rowsTarget(a.stdout, args)
	if err != nil {
		return err
	}
	giveBack, err := makeFolder("--out", f.out)
	if err != nil {
		return err
	}
	result, err := a.run(ctx, f, job, rows)
	if err != nil {
		giveBack()
		return serverFlag(err)
	}
	if !f.quiet {
		for _, w := range result.Warnings {
			fmt.Fprintf(a.stderr, "simulate: warning: %s\n", w)
		}
	}
	return a.deliver(f, result, pictures)
}

// serverFlag names the flag in what is wrong with its value.
func serverFlag(err error) error {
	var bad *redisserver.BadSpec
	if !errors.As(err, &bad) {
		return err
	}
	return usage("--redis%s", strings.Replace(strings.TrimPrefix(bad.Error(), "server"), redisserver.Kinds, redisserver.Kinds+", or model", 1))
}

// run does the job, with its progress on a terminal and its decisions in the file rows.
func (a *app) run(ctx context.Context, f *flags, job *simulate.Job, rows string) (*simulate.Result, error) {
	bar := newProgress(a.stderr, f.quiet)
	job.Progress = bar
	defer bar.finish()
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
	choices, err := f.choices()
	if err != nil {
		return nil, err
	}
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	list, err := f.scenarios(args, policy)
	if err != nil {
		return nil, err
	}
	job := a.newJob(list)
	job.Algorithms, job.Scripts = choices, f.scripts
	job.Server, job.Clock, job.LongReal = f.redis, f.clock, f.longReal
	job.Limit, job.Seed = policy, f.seed.value
	return job, nil
}

// newJob is a job on the embedded server in virtual time.
func (a *app) newJob(list []*scenarios.Scenario) *simulate.Job {
	return &simulate.Job{
		Scenarios: list,
		Server:    "embedded",
		Clock:     simulate.VirtualClock,
		Version:   ownVersion(),
		Now:       time.Now,
		Sleep:     load.Wait,
		Stop:      a.stop,
	}
}

// scenarios are those named, the trace, or all that are built in.
func (f *flags) scenarios(args []string, policy *limit.Policy) ([]*scenarios.Scenario, error) {
	if f.trace.File != "" {
		return f.fromTrace(args, policy)
	}
	if err := f.strayTraceFlags(); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return scenarios.Builtin()
	}
	var all []*scenarios.Scenario
	var problems []error
	named := map[string]string{}
	for _, arg := range args {
		s, err := scenarios.Load(arg)
		switch {
		case err != nil:
			problems = append(problems, err)
		case named[s.Name] == arg:
			problems = append(problems, fmt.Errorf("%q: named twice", arg))
		case named[s.Name] != "":
			problems = append(problems, fmt.Errorf("%s and %s would be two scenarios named %s; rename one", named[s.Name], arg, s.Name))
		default:
			named[s.Name] = arg
			all = append(all, s)
		}
	}
	if len(problems) > 0 {
		return nil, usageError{errors.Join(problems...)}
	}
	return all, nil
}

func (f *flags) fromTrace(args []string, policy *limit.Policy) ([]*scenarios.Scenario, error) {
	if len(args) > 0 {
		return nil, usage("%q: --trace is the only scenario; leave out the other", args[0])
	}
	if policy == nil {
		return nil, usage("--trace needs a --limit, such as --limit 100/1m")
	}
	trace, err := f.recording()
	if err != nil {
		return nil, err
	}
	s, err := scenarios.FromTrace(trace, *policy)
	if err != nil {
		return nil, usageError{fmt.Errorf("--trace: %w", err)}
	}
	return []*scenarios.Scenario{s}, nil
}
