package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
	a.notes(o, found.Notes...)
	fault := found.Fault()
	switch {
	case found.Partial:
		if kept != "" {
			kept = "; " + kept
		}
		return errors.Join(err, fmt.Errorf("%w: the figures cover what was finished only, and say so%s",
			message.ErrInterrupted, kept))
	case fault == "":
		return err
	case o.Format.Value == report.TableFormat: // which says so
		fault = ""
	default:
		fault += ". " + result.Remedy
	}
	return errors.Join(err, cli.Exit(cli.ExitInconclusive, errors.New(fault)))
}

// notes tells the user something beside the result.
func (a *app) notes(o *cli.Output, notes ...string) {
	for _, note := range notes {
		if !o.Quiet {
			fmt.Fprintf(a.Stderr, "bench: %s\n", message.Shown(note))
		}
	}
}

// write puts the result into the folder in place of an earlier one, of which no chart stays beside it. bench.json goes
// first and comes last: where it stands the rest belongs to it, also after a kill in the middle. Charts that cannot be
// drawn keep nobody from the measurements, of which they can be drawn again.
func (a *app) write(o *cli.Output, pictures []string, found *result.Document) error {
	var document bytes.Buffer
	name, drawn := filepath.Join(o.Folder, result.OfBench.File()), []string(nil)
	err := cmp.Or(result.Write(&document, found), os.MkdirAll(o.Folder, 0o755))
	if err == nil {
		earlier, _ := filepath.Glob(filepath.Join(o.Folder, "*.admitted-latency.*")) // the pattern is none that fails
		for _, file := range append([]string{name}, earlier...) {
			if failed := os.Remove(file); failed != nil && !os.IsNotExist(failed) {
				err = failed
			}
		}
	}
	if err == nil && pictures != nil {
		drawn, err = a.draw(o, pictures, found)
	}
	if document.Len() > 0 {
		err = cmp.Or(err, atomicfile.WriteBytes(name, document.Bytes()))
	}
	if err != nil {
		return cli.Exit(cli.ExitHarness, fmt.Errorf("--out %s: %w", message.Path(o.Folder), err))
	}
	a.notes(o, fmt.Sprintf("bench.json and %d other files are in %s", len(drawn), message.Path(o.Folder)))
	return nil
}

// draw writes the charts; what could not be drawn is said.
func (a *app) draw(o *cli.Output, formats []string, found *result.Document) ([]string, error) {
	figures, notes, err := chart.OfBench(found)
	if err != nil {
		return nil, err
	}
	a.notes(o, notes...)
	return chart.Write(o.Folder, figures, formats...)
}
