package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"ratelab/internal/benchchart"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// deliver prints the result, draws the charts, writes the files, and gives the verdict.
func (a *app) deliver(o *commandline.Output, pictures []string, found *benchresult.Document) error {
	figures := func() error { return a.print(o, found) }
	files := func() error {
		if err := refuseForeign(o.Folder); err != nil { // it came during the run
			return err
		}
		files, err := a.write(o, pictures, found)
		if err != nil {
			return fmt.Errorf("--out %s: %w", message.Path(o.Folder), commandline.WithoutPath(err))
		}
		if !o.Quiet {
			fmt.Fprintf(a.Stderr, "bench: bench.json and %d other files are in %s\n", len(files)-1,
				message.Path(o.Folder))
		}
		return nil
	}
	return commandline.Deliver(a.Stdout, figures, files, verdict(found))
}

// write puts the result into the folder in place of an earlier one, of which no chart stays beside it. bench.json goes
// first and comes last: where it stands the rest belongs to it, also after a kill in the middle. Charts that cannot be
// drawn keep nobody from the measurements, of which they can be drawn again.
func (a *app) write(o *commandline.Output, pictures []string, found *benchresult.Document) ([]string, error) {
	if err := removeEarlier(o.Folder); err != nil {
		return nil, err
	}
	drawn, undrawn := a.draw(o, pictures, found)
	files, err := benchresult.WriteFiles(o.Folder, found)
	return append(drawn, files...), cmp.Or(undrawn, err)
}

// refuseForeign refuses a folder in which the files of a run, and those of an earlier one, which it removes, are
// somebody else's.
func refuseForeign(folder string) error {
	return commandline.RefuseForeign("--out", folder,
		slices.Concat(benchresult.FileNames(folder), earlierCharts(folder))...)
}

// earlierCharts are the names in folder that are those of charts, data last: it tells whose the others are.
func earlierCharts(folder string) []string {
	entries, _ := os.ReadDir(folder) // one that is not there has none
	var names []string
	for _, e := range slices.Backward(entries) {
		if charts.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// charts are the names that benchchart gives its files, or gave them once, after the scenario's where they are of one.
var charts = regexp.MustCompile(`^(.*\.(admitted-latency|latency-percentile|latency-time|cost-overshoot)(\..*)?|server-cost|throughput|memory)\.(svg|png|csv)$`)

// removeEarlier removes bench.json and the charts of an earlier run.
func removeEarlier(folder string) error {
	for _, name := range append([]string{result.Bench.File}, earlierCharts(folder)...) {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// print writes the result to standard output.
func (a *app) print(o *commandline.Output, found *benchresult.Document) error {
	return benchresult.Forms.Write(a.Stdout, o.Format, found, o.Terminal(a.Stdout))
}

// draw writes the charts and says what could not be drawn.
func (a *app) draw(o *commandline.Output, formats []string, all ...*benchresult.Document) ([]string, error) {
	if len(formats) == 0 {
		return nil, nil
	}
	notes, err := benchchart.LeftOut(all)
	if err != nil {
		return nil, err
	}
	if !o.Quiet {
		for _, note := range notes {
			fmt.Fprintf(a.Stderr, "bench: %s\n", message.Shown(note))
		}
	}
	return benchchart.Write(o.Folder, all, formats...)
}

// verdict is whether the figures can be used.
func verdict(found *benchresult.Document) error {
	if found.Partial {
		return fmt.Errorf("%w: the figures cover what was finished only, and say so", commandline.ErrInterrupted)
	}
	return invalid(found.Validity)
}

// invalid is why figures cannot be used; nil: they can.
func invalid(v benchresult.Validity) error {
	if v.Valid {
		return nil
	}
	var all []error
	for _, reason := range v.Summary() {
		all = append(all, errors.New("invalid: "+reason))
	}
	return commandline.Exit(commandline.ExitInconclusive, errors.Join(all...))
}
