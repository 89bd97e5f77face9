package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ratelab/internal/benchchart"
	"ratelab/internal/commandline"
	"ratelab/internal/recording"
	"ratelab/internal/wording"
)

// deliver draws the charts, writes the files, prints the result, and gives the verdict. Standard output comes last: a
// reader that goes away early, as head does, costs no file.
func (a *app) deliver(o *commandline.Output, pictures []string, found *recording.Recording) error {
	files, err := a.write(o, pictures, found)
	if err != nil {
		return fmt.Errorf("--out %s: %w", wording.Path(o.Folder), commandline.WithoutPath(err))
	}
	if err := a.print(o.Format, found); err != nil {
		return err
	}
	if !o.Quiet {
		fmt.Fprintf(a.Stderr, "bench: bench.json and %d other files are in %s\n", len(files)-1, wording.Path(o.Folder))
	}
	return verdict(found)
}

// write puts the result into the folder in place of an earlier one, of which no chart stays beside it. bench.json goes
// first and comes last: where it stands the rest belongs to it, also after a kill in the middle.
func (a *app) write(o *commandline.Output, pictures []string, found *recording.Recording) ([]string, error) {
	if err := removeEarlier(o.Folder); err != nil {
		return nil, err
	}
	drawn, err := a.draw(o, pictures, found)
	if err != nil {
		return nil, err
	}
	files, err := recording.WriteFiles(o.Folder, found)
	return append(drawn, files...), err
}

// charts are the names that benchchart gives its files, after the scenario's where they are of one.
var charts = regexp.MustCompile(`^(.*\.(cost-overshoot|latency-percentile|latency-time)(\..*)?|server-cost|throughput|memory)\.(svg|png|csv)$`)

// removeEarlier removes bench.json and the charts of an earlier run.
func removeEarlier(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folder, recording.FileName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if charts.MatchString(e.Name()) {
			if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// print writes the result to standard output.
func (a *app) print(format string, found *recording.Recording) error {
	_, width := commandline.Terminal(a.Stdout)
	if err := recording.Write(a.Stdout, format, found, recording.TableOptions{Width: width}); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// draw writes the charts and says what could not be drawn.
func (a *app) draw(o *commandline.Output, formats []string, all ...*recording.Recording) ([]string, error) {
	if len(formats) == 0 {
		return nil, nil
	}
	notes, err := benchchart.LeftOut(all)
	if err != nil {
		return nil, err
	}
	if !o.Quiet {
		for _, note := range notes {
			fmt.Fprintf(a.Stderr, "bench: %s\n", wording.Shown(note))
		}
	}
	return benchchart.Write(o.Folder, all, formats...)
}

// verdict is whether the figures can be used.
func verdict(found *recording.Recording) error {
	if found.Partial {
		return fmt.Errorf("%w: the figures cover what was finished only, and say so", commandline.ErrInterrupted)
	}
	if found.Validity.Valid {
		return nil
	}
	var all []error
	for _, reason := range found.Validity.Summary() {
		all = append(all, errors.New("invalid: "+reason))
	}
	return commandline.Exit(commandline.ExitInconclusive, errors.Join(all...))
}
