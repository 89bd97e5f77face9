// Package simchart draws what each algorithm did with one scenario's traffic: three pictures, each answering
// one question, as SVG and PNG, with the data of each beside it as CSV. The same input gives the same bytes.
//
// The algorithms stand in small multiples that share both axes: with a dozen of them an overlay is a knot of
// lines, while a panel of its own lets each keep its colour, its label and its figure. The package reads no
// clock and knows no algorithm.
package simchart

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/measure"
	"ratelab/internal/report"
)

// Input is one run and the course of it over time. All series and the traffic have the same number of
// buckets, at least one, of the same width, counted from the scenario's start.
type Input struct {
	Run        *report.Run
	Version    string // of this program, for the footer; may be empty
	Traffic    measure.Traffic
	Reference  measure.Series // of the exact sliding log
	Algorithms []Panel
}

// Panel is one algorithm's course under its label, as in report.Row.
type Panel struct {
	Label   string
	Series  measure.Series
	Traffic *measure.Traffic // what it was offered, where that is not what all were; buckets as the Input's
}

// Write draws the scenario's four pictures into dir, which must exist, and puts the data of each beside it:
//
//	<scenario>.admitted.*    what was offered and admitted, over time
//	<scenario>.window.*      what was admitted in the rolling window, against the limit
//	<scenario>.cumulative.*  what was admitted so far, against the exact reference
//	<scenario>.timescale.*   the most admitted in any interval, by its length; only of runs with time scales
//
// It draws the formats named, or all where none is, and returns the paths. A file
// appears whole or not at all. The row none has no panel, since it admits whatever is offered and would dwarf
// the others, unless it is alone; the CSV has every row.
func Write(dir string, in Input, formats ...string) ([]string, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	return chart.WriteAll(dir, pictures(in), formats...)
}

// WriteWindow draws the rolling window alone, as SVG and without its data, and returns the path.
func WriteWindow(dir string, in Input) (string, error) {
	if err := in.validate(); err != nil {
		return "", err
	}
	for _, p := range pictures(in) {
		if p.Name == in.Run.Scenario+".window" {
			return p.WriteSVG(dir)
		}
	}
	return "", fmt.Errorf("chart %s: no rolling window", in.Run.Scenario)
}

// Files are the names of all that Write may write for a scenario; formats as Write's.
func Files(scenario string, formats ...string) []string {
	var names []string
	for _, picture := range []string{"admitted", "window", "cumulative", "timescale"} {
		for _, extension := range append([]string{"csv"}, formats...) {
			names = append(names, scenario+"."+picture+"."+extension)
		}
	}
	return names
}

func (in Input) validate() error {
	if in.Run == nil {
		return errors.New("chart: no run")
	}
	name := in.Run.Scenario
	if name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
		return fmt.Errorf("chart: scenario %q is not a file name", name)
	}
	if len(in.Algorithms) == 0 {
		return fmt.Errorf("chart %s: no algorithm to draw", name)
	}
	width, n := in.Traffic.BucketUS, len(in.Traffic.Offered)
	if width < 1 || n < 1 {
		return fmt.Errorf("chart %s: %d buckets of %d us: want at least one of at least 1 us", name, n, width)
	}
	all := append([]Panel{{Label: report.ReferenceLabel, Series: in.Reference}}, in.Algorithms...)
	for _, p := range all {
		if p.Series.BucketUS != width || len(p.Series.Admitted) != n || len(p.Series.Rolling) != n {
			return fmt.Errorf("chart %s: the buckets of %q (%d and %d of %d us) are not those of the traffic (%d of %d us)",
				name, p.Label, len(p.Series.Admitted), len(p.Series.Rolling), p.Series.BucketUS, n, width)
		}
		if t := p.Traffic; t != nil && (t.BucketUS != width || len(t.Offered) != n) {
			return fmt.Errorf("chart %s: the buckets of what %q was offered (%d of %d us) are not those of the traffic (%d of %d us)",
				name, p.Label, len(t.Offered), t.BucketUS, n, width)
		}
	}
	return nil
}
