package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// deliver prints the result, draws the charts, writes the files, and gives the verdict.
func (a *app) deliver(o *cli.Output, pictures []string, found *result.Benchmark) error {
	if err := report.BenchmarkFormats.Write(a.Stdout, o.Format.Value, found, a.Terminal(o.Quiet)); err != nil {
		return err
	}
	err := a.write(o, pictures, found)
	if found.Partial {
		return errors.Join(err, fmt.Errorf("%w: the figures cover what was finished only, and say so%s",
			cli.ErrInterrupted, found.Kept))
	}
	var invalid []error
	if !found.Validity.Valid {
		for _, reason := range found.Validity.Summary() {
			invalid = append(invalid, cli.Exit(cli.ExitInconclusive, errors.New("invalid: "+reason)))
		}
	}
	return errors.Join(err, errors.Join(invalid...))
}

// write puts the result into the folder in place of an earlier one, of which no chart stays beside it. bench.json goes
// first and comes last: where it stands the rest belongs to it, also after a kill in the middle. Charts that cannot be
// drawn keep nobody from the measurements, of which they can be drawn again.
func (a *app) write(o *cli.Output, pictures []string, found *result.Benchmark) error {
	err := os.MkdirAll(o.Folder, 0o755)
	if err == nil {
		err = removeEarlier(o.Folder)
	}
	var drawn, files []string
	if err == nil {
		if pictures != nil {
			drawn, err = a.draw(o, pictures, found)
		}
		var failed error
		files, failed = report.WriteFiles(o.Folder, found)
		if err == nil {
			err = failed
		}
	}
	if err != nil {
		err = fmt.Errorf("--out %s: %w", message.Path(o.Folder), err)
		return cli.Exit(cli.ExitHarness, err)
	}
	if !o.Quiet {
		fmt.Fprintf(a.Stderr, "bench: bench.json and %d other files are in %s\n", len(drawn)+len(files)-1,
			message.Path(o.Folder))
	}
	return nil
}

// charts are the names that chart gives its files, or gave them once, after the scenario's where they are of one.
var charts = regexp.MustCompile(`^(.*\.(admitted-latency|latency-percentile|latency-time|cost-overshoot)(\..*)?|` +
	`server-cost|throughput|memory)\.(svg|png|csv)$`)

// removeEarlier removes bench.json and the charts of an earlier run.
func removeEarlier(folder string) error {
	if err := os.Remove(filepath.Join(folder, result.Bench.File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, _ := os.ReadDir(folder) // one that is not there has none
	for _, e := range entries {
		if charts.MatchString(e.Name()) {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// draw writes the charts; what could not be drawn is said.
func (a *app) draw(o *cli.Output, formats []string, found *result.Benchmark) ([]string, error) {
	figures, notes, err := chart.OfBench(found)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		if !o.Quiet {
			fmt.Fprintf(a.Stderr, "bench: %s\n", message.Shown(note))
		}
	}
	return chart.Write(o.Folder, figures, formats...)
}
