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

// deliver prints the result, draws the charts, writes the files, and returns the verdict as an error. kept names the
// keys that a stopped run left on its server.
func (a *app) deliver(o *cli.Output, pictures chart.Style, found *result.Document, kept string) error {
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
	case o.Format.Value == report.TableFormat: // the table shows it
		fault = ""
	default:
		fault += ". " + result.Remedy
	}
	return errors.Join(err, cli.Exit(cli.ExitInconclusive, errors.New(fault)))
}

// notes prints notes on Stderr, unless the output is quiet.
func (a *app) notes(o *cli.Output, notes ...string) {
	for _, note := range notes {
		if !o.Quiet {
			fmt.Fprintf(a.Stderr, "bench: %s\n", message.Shown(note))
		}
	}
}

// write writes the result into the folder in place of an earlier one, whose charts are deleted. bench.json is deleted
// first and written last. So if bench.json exists, the other files belong to it, even after a kill in between. If
// charts cannot be drawn, the measurements are still written, and the charts can be drawn later.
func (a *app) write(o *cli.Output, pictures chart.Style, found *result.Document) error {
	var document bytes.Buffer
	name, drawn := filepath.Join(o.Folder, result.OfBench.File()), []string(nil)
	err := cmp.Or(result.Write(&document, found), os.MkdirAll(o.Folder, 0o755))
	if err == nil {
		earlier, _ := filepath.Glob(filepath.Join(o.Folder, "*.admitted-latency.*")) // the pattern is valid
		for _, file := range append([]string{name}, earlier...) {
			if failed := os.Remove(file); failed != nil && !os.IsNotExist(failed) {
				err = failed
			}
		}
	}
	if err == nil && pictures.Formats != nil {
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

// draw writes the charts, and notes which ones could not be drawn.
func (a *app) draw(o *cli.Output, style chart.Style, found *result.Document) ([]string, error) {
	figures, notes, err := chart.OfBench(found)
	if err != nil {
		return nil, err
	}
	a.notes(o, notes...)
	files, err := chart.Write(o.Folder, figures, style)
	if err == nil {
		o.ShowPictures(a.Stderr, style, figures)
	}
	return files, err
}
