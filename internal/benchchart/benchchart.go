// Package benchchart draws what a benchmark found: six pictures, each answering one question, as SVG and PNG, with the
// data of each beside it as CSV. It draws recordings as they are and measures nothing; the same recordings give the same
// bytes.
//
// Several recordings, such as those of two servers or two versions, are drawn into the same pictures, each with its
// mark. Only the latencies under a scenario's traffic, which fill a picture by themselves, have one for each recording.
package benchchart

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ratelab/internal/drawing"
	"ratelab/internal/recording"
)

// most is how many recordings can be told apart in one picture.
const most = 4

// Formats lists the picture formats that Write knows.
func Formats() []string { return drawing.Formats() }

// Write draws the recordings into dir, which must exist, and puts the data of each picture beside it:
//
//	<scenario>.cost-overshoot.*      what a decision costs the server, against how strict it is
//	<scenario>.latency-percentile.*  response and service time by percentile
//	<scenario>.latency-time.*        response time over the scenario's time
//	server-cost.*                    what an accepted and a rejected decision cost the server
//	throughput.*                     decisions per second against connections
//	memory.*                         bytes of a client's state as it fills
//
// With several recordings the latencies are drawn one by one, as <scenario>.latency-percentile.<server>.*. It draws
// the formats named, or all where none is, and returns the paths. A file appears whole or not at
// all. What was not measured is not drawn, and LeftOut names it. An error is a recording that cannot be drawn, recordings
// that cannot stand in one picture, an unknown format, or a file that cannot be written.
func Write(dir string, in []*recording.Recording, formats ...string) ([]string, error) {
	if err := validate(in); err != nil {
		return nil, err
	}
	pictures, _ := draw(newScene(in))
	return drawing.WriteAll(dir, pictures, formats...)
}

// LeftOut names the pictures that Write does not draw, and those that lack a recording, each with the reason, such as a
// server whose counters are not its own.
func LeftOut(in []*recording.Recording) ([]string, error) {
	if err := validate(in); err != nil {
		return nil, err
	}
	_, notes := draw(newScene(in))
	return notes, nil
}

func validate(in []*recording.Recording) error {
	if len(in) == 0 {
		return errors.New("chart: no recording")
	}
	if len(in) > most {
		return fmt.Errorf("chart: %d recordings: want at most %d, which is how many can be told apart", len(in), most)
	}
	for _, r := range in {
		if r == nil {
			return errors.New("chart: no recording")
		}
		if len(r.Runs) == 0 && len(r.Costs) == 0 {
			return errors.New("chart: a recording without scenarios and without costs: nothing to draw")
		}
		if err := validateRuns(r.Runs); err != nil {
			return err
		}
	}
	return together(in)
}

func validateRuns(runs []recording.Run) error {
	seen := map[string]bool{}
	for _, run := range runs {
		name := run.Scenario
		if name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			return fmt.Errorf("chart: scenario %q is not a file name", name)
		}
		if seen[name] {
			return fmt.Errorf("chart: scenario %q stands twice in a recording: its pictures would be written over each other", name)
		}
		seen[name] = true
		for _, row := range run.Rows {
			if err := complete(row.Open); err != nil {
				return fmt.Errorf("chart %s: %q: %w", name, row.Algorithm, err)
			}
		}
	}
	return nil
}

// complete refuses histograms that are missing altogether: one without entries is drawn as nothing.
func complete(open recording.Open) error {
	all := []recording.Outcomes{open.Latency}
	for _, interval := range open.Intervals {
		all = append(all, interval.Latency)
	}
	for _, o := range all {
		a, r := o.Accepted, o.Rejected
		for _, h := range []*recording.Histogram{a.Response, a.Service, r.Response, r.Service} {
			if h == nil || h.Histogram == nil {
				return errors.New("a histogram of the response or the service time is missing")
			}
		}
	}
	return nil
}

// together refuses recordings of other traffic or other limits: they would answer different questions.
func together(in []*recording.Recording) error {
	runs := map[string]recording.Run{}
	for _, r := range in {
		a, b := in[0].Settings, r.Settings
		both := len(in[0].Costs) > 0 && len(r.Costs) > 0
		if both && (a.CostLimit != b.CostLimit || a.FillLimit != b.FillLimit) {
			return errors.New("chart: the recordings measured costs under different limits: draw them one by one")
		}
		for _, run := range r.Runs {
			first, known := runs[run.Scenario]
			if !known {
				runs[run.Scenario] = run
				continue
			}
			if first.ScenarioSHA256 != run.ScenarioSHA256 || first.Seed != run.Seed ||
				first.Limit != run.Limit || first.PlayedUS != run.PlayedUS {
				return fmt.Errorf("chart: scenario %q has other traffic, another seed, limit or length in each recording: "+
					"draw them one by one", run.Scenario)
			}
		}
	}
	return nil
}
