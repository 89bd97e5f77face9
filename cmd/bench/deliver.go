package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ratelab/internal/atomicfile"
	"ratelab/internal/chart"
	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// deliver prints the result, draws the charts, writes the files, and gives the verdict. What a run that was stopped has
// kept on its server is told as well.
func (a *app) deliver(o *cli.Output, pictures []string, found *result.Document, kept string) error {
	if err := report.BenchmarkFormats.Write(a.Stdout, o.Format.Value, found, a.Terminal(o.Quiet)); err != nil {
		return err
	}
	err := a.write(o, pictures, found)
	if !o.Quiet {
		for _, note := range found.Notes {
			fmt.Fprintf(a.Stderr, "bench: %s\n", message.Shown(note))
		}
	}
	if found.Partial {
		if kept != "" {
			kept = "; " + kept
		}
		return errors.Join(err, fmt.Errorf("%w: the figures cover what was finished only, and say so%s",
			cli.ErrInterrupted, kept))
	}
	if fault := found.Fault(); fault != "" {
		if o.Format.Value == report.TableFormat { // which says so
			fault = ""
		}
		err = errors.Join(err, cli.Exit(cli.ExitInconclusive, errors.New(fault)))
	}
	return err
}

// write puts the result into the folder in place of an earlier one, of which no chart stays beside it. bench.json goes
// first and comes last: where it stands the rest belongs to it, also after a kill in the middle. Charts that cannot be
// drawn keep nobody from the measurements, of which they can be drawn again.
func (a *app) write(o *cli.Output, pictures []string, found *result.Document) error {
	var document bytes.Buffer
	err := result.Write(&document, found)
	if err == nil {
		err = os.MkdirAll(o.Folder, 0o755)
	}
	if err == nil {
		err = removeEarlier(o.Folder)
	}
	var drawn []string
	if err == nil {
		if pictures != nil {
			drawn, err = a.draw(o, pictures, found)
		}
		failed := atomicfile.Write(filepath.Join(o.Folder, result.OfBench.File()), func(w io.Writer) error {
			_, err := document.WriteTo(w)
			return err
		})
		err = cmp.Or(err, failed)
	}
	if err != nil {
		err = fmt.Errorf("--out %s: %w", message.Path(o.Folder), err)
		return cli.Exit(cli.ExitHarness, err)
	}
	if !o.Quiet {
		fmt.Fprintf(a.Stderr, "bench: bench.json and %d other files are in %s\n", len(drawn), message.Path(o.Folder))
	}
	return nil
}

// beside are the names of the files beside bench.json: charts and their data, also those of earlier versions.
var beside = regexp.MustCompile(`^(.*\.(admitted-latency|latency-percentile)|server-cost|throughput|memory)\.(svg|png|csv)$`)

// removeEarlier removes bench.json and what an earlier run wrote beside it.
func removeEarlier(folder string) error {
	if err := os.Remove(filepath.Join(folder, result.OfBench.File())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, _ := os.ReadDir(folder) // one that is not there has none
	for _, e := range entries {
		if !beside.MatchString(e.Name()) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// draw writes the charts; what could not be drawn is said.
func (a *app) draw(o *cli.Output, formats []string, found *result.Document) ([]string, error) {
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
