package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// play is the main command. If it fails, it prints at most the matrix, and changes no files.
func (a *app) play(c *cobra.Command, f *flags, args []string) error {
	ctx := c.Context()
	job, err := a.job(ctx, f, args)
	if err != nil {
		return err
	}
	if job.byModels() {
		collectAt(modelsGCPercent)
	}
	w := writing{Output: &f.Output, command: cli.Again(c, args, "out", "format", "quiet", "decisions", "charts",
		"theme", "scale", "force")}
	if w.pictures, err = f.Charts(len(job.Scenarios) > fewScenarios); err != nil {
		return err
	}
	w.told = f.Format.Value == report.TableFormat && !f.atAGlance(job)
	if err := errors.Join(f.checkDecisions(args), cli.CheckFolder("--out", f.Folder, f.Force)); err != nil {
		return err
	}
	more, err := f.with(job)
	if err != nil {
		return err
	}
	figures, err := a.figures(ctx, f, job, f.shown(c, args, job, w.pictures.Formats != nil))
	if err != nil {
		return err
	}
	more.join(job)
	a.foretell(ctx, f, job)
	found, err := a.decide(ctx, f, job)
	var differs *run.DifferenceError
	switch {
	case found != nil: // the error is about the file of the decisions
	case errors.As(err, &differs):
		return cli.Exit(cli.ExitMissed, err)
	case err != nil:
		return cli.ServerFault(err, serverKinds)
	}
	if err := figures(&found.Document); err != nil {
		return err
	}
	if left := more.left(); left != "" && !f.Quiet {
		fmt.Fprintf(a.Stderr, "simulate: --with %s: this run has no place for the rows of %s\n", message.Path(f.more),
			left)
	}
	return errors.Join(err, a.write(&w, found), outcome(f, job, found))
}

// job returns the job that the flags and arguments describe.
func (a *app) job(ctx context.Context, f *flags, args []string) (*job, error) {
	if err := f.checkColumns(); err != nil {
		return nil, err
	}
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	sweeps, swept, files, err := f.Sweeps()
	if err != nil {
		return nil, err
	}
	if choices = append(choices, swept...); sweeps != nil && choices == nil {
		choices = []algorithms.Choice{}
	}
	instead, err := f.Instead()
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(ctx, args, instead.Limit, scenario.Builtin)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 && f.Files == nil && (choices != nil || files != nil || instead.Limit != nil) {
		list = a.withoutEnds(list, f.Quiet)
	}
	limits, err := f.SweptLimits()
	if err != nil {
		return nil, err
	}
	if limits != nil {
		list = underEach(list, limits)
	}
	if f.Files != nil && instead.Limits != nil {
		list[0].UnderLimits(instead.Limits)
	}
	job := newJob(list, f.redis, f.Scripts != nil)
	job.Default = len(args) == 0 && f.Files == nil
	job.Sweeps = sweeps
	job.Algorithms, job.Scripts, job.Instead = choices, files, instead
	job.Sample = f.redis == redis.KindAuto
	job.OtherRule = f.Files != nil && !f.ChoseRule()
	if job.byModels() && f.Scripts != nil {
		return nil, &replay.InputError{Err: run.ErrNoServer}
	}
	return job, nil
}

// withoutEnds leaves out the built-in scenarios whose requests end, because they have limits and rows of their own.
func (a *app) withoutEnds(list []*scenario.Scenario, quiet bool) (rest []*scenario.Scenario) {
	var names []string
	for _, s := range list {
		if s.RequestsEnd() {
			names = append(names, s.Name)
		} else {
			rest = append(rest, s)
		}
	}
	if !quiet {
		fmt.Fprintf(a.Stderr, "simulate: left out, because their requests end: %s; name them to play them\n",
			message.List(names))
	}
	return rest
}

// decide does the job. It shows progress on a terminal, and writes the decisions to a file. If only that file fails, it
// returns both a result and an error.
func (a *app) decide(ctx context.Context, f *flags, job *job) (*run.Result, error) {
	bar := a.NewBar(f.Quiet)
	job.Progress = progressOf(bar, job.Scenarios)
	defer bar.Finish()
	if decided := job.Decided; decided != nil {
		job.Decided = func(r *result.Run) {
			bar.Finish()
			decided(r)
		}
	}
	if f.decisions != "" {
		return job.withDecisions(ctx, f.decisions)
	}
	return job.decide(ctx)
}

// outcome returns an error if an expectation failed or the run was interrupted.
func outcome(f *flags, job *job, found *run.Result) error {
	if !found.Interrupted {
		return verdict(&found.Document)
	}
	more := ""
	if f.decisions != "" {
		more = fmt.Sprintf("; %s was not written", message.Path(f.decisions))
	}
	if job.kept != "" {
		more += "; " + job.kept
	}
	return fmt.Errorf("%w: the figures cover the beginning only, and say so%s", message.ErrInterrupted, more)
}

// errExpectation is the error of a document with a failed expectation.
var errExpectation = errors.New("expectation missed")

// verdict returns an error that names all failed expectations.
func verdict(doc *result.Document) error {
	var missed []error
	for i := range doc.Runs {
		for _, e := range doc.Runs[i].Expectations {
			if e.Met != nil && !*e.Met {
				missed = append(missed,
					fmt.Errorf("%w: %s: %s", errExpectation, doc.Runs[i].Scenario, report.Missed(e)))
			}
		}
	}
	if missed == nil {
		return nil
	}
	return cli.Exit(cli.ExitMissed, errors.Join(missed...))
}
