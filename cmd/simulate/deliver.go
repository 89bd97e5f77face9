package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/page"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// indexPage is the page that shows a result.
const indexPage = "index.html"

// writing says which parts of a result to write, and where.
type writing struct {
	*cli.Output
	command  string // the command that repeats the run
	pictures chart.Style
	told     bool // the table already names the folder of the charts
}

// write writes the document, the charts and the page into the folder.
func (a *app) write(w *writing, found *run.Result) error {
	err := os.MkdirAll(w.Folder, 0o755)
	if err == nil {
		err = writeDocument(filepath.Join(w.Folder, "result.json"), &found.Document)
	}
	if err == nil && w.pictures.Formats != nil {
		if err = a.draw(w, slices.Concat(found.Charts, sweptLimits(found))); err == nil {
			err = writePage(w.Folder, found, w.command)
		}
	}
	if err != nil {
		return cli.Exit(cli.ExitHarness, fmt.Errorf("--out: %w", err))
	}
	if !w.Quiet && !w.told && w.pictures.Formats != nil {
		fmt.Fprintf(a.Stderr, "simulate: charts are in %s\n", message.Path(filepath.Join(w.Folder, indexPage)))
	}
	return nil
}

func writeDocument(path string, doc *result.Document) error {
	return atomicfile.Write(path, func(w io.Writer) error { return result.Write(w, doc) })
}

// draw writes the charts of every scenario, on all cores. It prints the HTML of the charts if the scenarios are few.
func (a *app) draw(w *writing, charts []curves.Input) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	figures := make([][]*chart.Figure, len(charts))
	for i, in := range charts {
		group.Go(func() error {
			figures[i] = chart.OfRun(in)
			_, err := chart.Write(w.Folder, figures[i], w.pictures)
			return err
		})
	}
	err := group.Wait()
	if err == nil && len(charts) <= fewScenarios {
		w.ShowPictures(a.Stderr, w.pictures, slices.Concat(figures...))
	}
	return err
}

// writePage writes the result as a web page into the folder. command is the command that repeats the run.
func writePage(folder string, found *run.Result, command string) error {
	bench, err := readMeasured(folder)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, indexPage), func(w io.Writer) error {
		return page.Write(w, pageInput(found, bench, command))
	})
}

// measuredFolder is the folder, within a folder of results, with the measurements of bench run. The page shows them.
const measuredFolder = "bench"

// readMeasured returns the measurements, or nil if there is no such folder.
func readMeasured(folder string) (*result.Document, error) {
	doc, err := result.Read(filepath.Join(folder, measuredFolder), result.OfBench)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, cli.Usage("%w; measure again, or delete it", err)
	}
	return doc, nil
}

// pageInput combines the results, the descriptions of the algorithms, and the measurements, if any.
func pageInput(found *run.Result, bench *result.Document, command string) page.Input {
	return page.Input{Document: &found.Document, Charts: found.Charts, Bench: bench, Command: command,
		Algorithms: algorithms.All()}
}

// checkDecisions refuses a file for the decisions that cannot be written, or whose replacement would destroy something.
func (f *flags) checkDecisions(scenarios []string) error {
	if f.decisions == "" {
		return nil
	}
	bad := func(err error) error { return fmt.Errorf("--decisions %s: %w", message.Path(f.decisions), err) }
	if err := atomicfile.Sweep(filepath.Dir(f.decisions)); errors.Is(err, fs.ErrPermission) {
		return bad(errors.Unwrap(err))
	} else if err != nil {
		return cli.Exit(cli.ExitUsage, bad(errors.Unwrap(err)))
	}
	target, err := os.Stat(f.decisions)
	if err == nil && !target.Mode().IsRegular() {
		err = errors.New("not a regular file, and would be replaced by one; want another name")
		return cli.Exit(cli.ExitUsage, bad(err))
	}
	for _, input := range slices.Concat(scenarios, f.Scripts, f.Files) {
		if info, err := os.Stat(input); err == nil && os.SameFile(info, target) {
			return cli.Exit(cli.ExitUsage, bad(errors.New("the run reads it; want another file")))
		}
	}
	return nil
}

// withDecisions does the job while one row per decision is collected for path. The file appears as a whole or not at
// all: rows cannot be marked as partial, so an interrupted run does not change it.
func (j *job) withDecisions(ctx context.Context, path string) (found *run.Result, err error) {
	named := path
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind // replace the target of a symbolic link, not the link
	}
	wrote := atomicfile.Write(path, func(w io.Writer) error {
		rows := report.NewDecisions(w, filepath.Dir(path))
		defer rows.Discard()
		j.Watch = rows.Watch
		if found, err = j.decide(ctx); err != nil {
			return err
		}
		if found.Interrupted {
			return message.ErrInterrupted
		}
		return rows.Join()
	})
	if err != nil || wrote == nil || errors.Is(wrote, message.ErrInterrupted) {
		return found, err
	}
	return found, cli.Exit(cli.ExitHarness, fmt.Errorf("--decisions %s: %w", message.Path(named), wrote))
}
