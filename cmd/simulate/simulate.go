package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/report/chart"
	"ratelab/internal/simulate"
	"ratelab/internal/traffic"
	"ratelab/internal/wholefile"
	"ratelab/scenarios"
)

// simulate is the main job.
func (a *app) simulate(ctx context.Context, f *flags, args []string) error {
	job, err := a.job(f, args)
	if err != nil {
		return err
	}
	pictures, err := f.chartFormats()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	bar := newProgress(a.stderr, f.quiet)
	job.Progress = bar
	var result *simulate.Result
	work := func() error {
		result, err = job.Run(ctx)
		return err
	}
	if f.decisions == "" {
		err = work()
	} else {
		err = withDecisions(job, f.decisions, work)
	}
	bar.finish()
	if err != nil {
		return err
	}
	if !f.quiet {
		for _, w := range result.Warnings {
			fmt.Fprintf(a.stderr, "simulate: warning: %s\n", w)
		}
	}
	return a.deliver(f, result, pictures)
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
		Sleep:     sleep,
		Stop:      a.stop,
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scenarios are those named, the trace, or all that are built in.
func (f *flags) scenarios(args []string, policy *limit.Policy) ([]*scenarios.Scenario, error) {
	if f.trace.File != "" {
		return f.fromTrace(args, policy)
	}
	if f.traceForm+f.trace.Key+f.trace.Time+f.trace.Cost+f.within != "" || f.trace.Skip != 0 || f.trace.Limit != 0 {
		return nil, usage("--trace-… and --within-second describe a --trace FILE, and there is none; a scenario's file describes its own")
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
	f.trace.Format = traffic.Format(f.traceForm)
	f.trace.WithinSecond = traffic.WithinSecond(f.within)
	s, err := scenarios.FromTrace(f.trace, *policy)
	if err != nil {
		return nil, usageError{fmt.Errorf("--trace: %w", err)}
	}
	return []*scenarios.Scenario{s}, nil
}

// withDecisions does work while one row for each decision is collected for path, which appears whole or not at all.
func withDecisions(job *simulate.Job, path string, work func() error) error {
	return wholefile.Write(path, func(w io.Writer) error {
		job.Decisions = simulate.NewDecisions(w, filepath.Dir(path))
		defer job.Decisions.Discard()
		return work()
	})
}

// deliver writes the document to standard output and into the folder, and gives the verdict.
func (a *app) deliver(f *flags, result *simulate.Result, pictures []string) error {
	doc := &result.Document
	if err := report.Write(a.stdout, f.format, doc, a.tableOptions()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	json := func(w io.Writer) error { return report.WriteJSON(w, doc) }
	if err := wholefile.Write(filepath.Join(f.out, "result.json"), json); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	drawn := 0
	for _, in := range result.Charts {
		if len(pictures) == 0 {
			break
		}
		files, err := chart.Write(f.out, in, pictures...)
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		drawn += len(files)
	}
	if !f.quiet && drawn > 0 {
		fmt.Fprintf(a.stderr, "simulate: charts, their data and result.json are in %s\n", f.out)
	}
	for _, run := range doc.Runs {
		if run.Partial {
			return errInterrupted
		}
	}
	return simulate.Verdict(doc)
}
