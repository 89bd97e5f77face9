// Package simchart draws what each algorithm did with one scenario's traffic: pictures that each answer
// one question, as SVG and PNG, with the data of each beside it as CSV. The same input gives the same bytes.
//
// The algorithms stand in small multiples that share both axes: with a dozen of them an overlay is a knot of
// lines, while a panel of its own lets each keep its colour, its label and its figure. What the curves are is said by
// package curves. The package reads no clock and knows no algorithm.
package simchart

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// Write draws the scenario's pictures into dir, which must exist, and puts the data of each beside it:
//
//	<scenario>.admitted.*    what was offered and let through, over time
//	<scenario>.window.*      what was let through in the rolling window, against the limit
//	<scenario>.cumulative.*  what was let through so far, against the exact reference
//	<scenario>.delay.*       how long what is admitted has to wait; only of runs with a shaper
//	<scenario>.keys.*        the keys on the server, over time; only of rows whose keys are counted all the time
//	<scenario>.timescale.*   the most let through in any interval, by its length; only of runs with time scales
//
// It draws the formats named, or all where none is, and returns the paths. A file
// appears whole or not at all. The row none has no panel, since it admits whatever is offered and would dwarf
// the others, unless it is alone; the CSV has every row.
func Write(dir string, in curves.Input, formats ...string) ([]string, error) {
	drawn, err := figures(in)
	if err != nil {
		return nil, err
	}
	var all []chart.Picture
	for _, f := range drawn {
		all = append(all, f.picture())
	}
	return chart.WriteAll(dir, all, formats...)
}

// WriteWindow draws the rolling window alone, as SVG and without its data, and returns the path.
func WriteWindow(dir string, in curves.Input) (string, error) {
	t, err := timelines(in)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(t, func(t curves.Timeline) bool { return t.Drawing == curves.Level })
	return levelFigure(in, t[i]).picture().WriteSVG(dir)
}

// Files are the names of all that Write may write for a scenario; formats as Write's.
func Files(scenario string, formats ...string) []string {
	var names []string
	for _, picture := range curves.Names() {
		for _, extension := range append([]string{"csv"}, formats...) {
			names = append(names, scenario+"."+picture+"."+extension)
		}
	}
	return names
}

// figures are the pictures that Write names, in their order.
func figures(in curves.Input) ([]figure, error) {
	t, err := timelines(in)
	if err != nil {
		return nil, err
	}
	var all []figure
	for _, t := range t {
		all = append(all, drawings[t.Drawing](in, t))
	}
	if t := curves.NewTimescale(in.Run); t != nil {
		all = append(all, timescaleFigure(in, t))
	}
	return all, nil
}

// drawings make the figure of a chart over time.
var drawings = map[curves.Drawing]func(curves.Input, curves.Timeline) figure{
	curves.Flow: flowFigure, curves.Level: levelFigure, curves.Sum: sumFigure,
	curves.Wait: waitFigure, curves.Stock: stockFigure,
}

// timelines are the curves of a run whose scenario's name will do for a file's.
func timelines(in curves.Input) ([]curves.Timeline, error) {
	t, err := curves.Timelines(in)
	if err != nil {
		return nil, err
	}
	if name := in.Run.Scenario; name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
		return nil, fmt.Errorf("chart: scenario %q is not a file name", name)
	}
	return t, nil
}
