package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/atomicfile"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/simchart"
	"ratelab/internal/simulate"
)

// outputs are the names of the files that a job with these scenarios may write.
func outputs(scenarios, pictures []string) []string {
	names := []string{resultFile}
	if len(pictures) == 0 {
		return names
	}
	names = append(names, indexPage)
	for _, s := range scenarios {
		names = append(names, simchart.Files(s, pictures...)...)
	}
	return names
}

// write puts the document, the charts, and the page that shows them into the folder; command is what makes them again.
func (a *app) write(f *commandline.Output, command string, result *simulate.Result, bench *benchresult.Document,
	pictures, mine []string) error {
	if err := commandline.RefuseForeign("--out", f.Folder, mine...); err != nil { // it came during the run
		return err
	}
	json := func(w io.Writer) error { return report.WriteJSON(w, &result.Document) }
	if err := atomicfile.Write(filepath.Join(f.Folder, resultFile), json); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	drawn, err := draw(f.Folder, result, pictures)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if drawn == 0 {
		return nil
	}
	if err := writePage(f.Folder, result, bench, command); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if !f.Quiet {
		noteUnshown(a.Stderr, bench, &result.Document)
		fmt.Fprintf(a.Stderr, "simulate: %s shows it all; beside it charts and data\n",
			message.Path(filepath.Join(f.Folder, indexPage)))
	}
	return nil
}

// outcome is whether the figures are what was asked for.
func outcome(f *flags, result *simulate.Result) error {
	switch {
	case !result.Interrupted:
		return verdict(&result.Document)
	case f.decisions != "":
		return fmt.Errorf("%w: the figures cover the beginning only, and say so; %s was not written",
			commandline.ErrInterrupted, message.Path(f.decisions))
	}
	return fmt.Errorf("%w: the figures cover the beginning only, and say so", commandline.ErrInterrupted)
}

// draw writes the charts of every scenario, on all cores, and says how many files they are.
func draw(folder string, result *simulate.Result, formats []string) (int, error) {
	if len(formats) == 0 {
		return 0, nil
	}
	var drawn atomic.Int64
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, in := range result.Charts {
		group.Go(func() error {
			files, err := simchart.Write(folder, in, formats...)
			drawn.Add(int64(len(files)))
			return err
		})
	}
	err := group.Wait()
	return int(drawn.Load()), err
}

// verdict names every expectation that was missed.
func verdict(doc *report.Document) error {
	var missed []error
	for i := range doc.Runs {
		for _, e := range doc.Runs[i].Expectations {
			if e.Met != nil && !*e.Met {
				missed = append(missed,
					fmt.Errorf("%w: %s: %s", simulate.ErrExpectation, doc.Runs[i].Scenario, e.Missed()))
			}
		}
	}
	if missed == nil {
		return nil
	}
	return commandline.Exit(commandline.ExitMissed, errors.Join(missed...))
}

// withDecisions does the job while one row for each decision is collected for path, which appears whole or not at
// all: rows cannot say that they are partial, so an interrupted run leaves path as it was.
func withDecisions(ctx context.Context, job *simulate.Job, path string) (result *simulate.Result, err error) {
	bad := func(err error) error {
		return fmt.Errorf("--decisions %s: %w", message.Path(path), commandline.WithoutPath(err))
	}
	if err := atomicfile.Sweep(filepath.Dir(path)); err != nil {
		return nil, bad(err)
	}
	wrote := atomicfile.Write(path, func(w io.Writer) error {
		job.Decisions = simulate.NewDecisions(w, filepath.Dir(path))
		defer job.Decisions.Discard()
		if result, err = job.Run(ctx); err == nil && result.Interrupted {
			return commandline.ErrInterrupted
		}
		return err
	})
	if err != nil || wrote == nil || errors.Is(wrote, commandline.ErrInterrupted) {
		return result, err
	}
	return nil, bad(wrote)
}
