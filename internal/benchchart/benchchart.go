// Package benchchart draws what a benchmark found: five pictures, each answering one question, as SVG and PNG, with the
// data of each beside it as CSV. It draws results as they are and measures nothing; the same results give the same
// bytes.
//
// Several results, such as those of two servers or two versions, are drawn into the same pictures, each with its
// mark. Only those under a scenario's traffic, which fill a picture by themselves, have one for each result.
package benchchart

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
)

// most is how many results can be told apart in one picture.
const most = 4

// Write draws the results into dir, which must exist, and puts the data of each picture beside it:
//
//	<scenario>.admitted-latency.*    what was offered and let through, and response times, over the scenario's time
//	<scenario>.latency-percentile.*  response and service time by percentile
//	server-cost.*                    what an accepted and a rejected decision cost the server
//	throughput.*                     decisions per second against connections
//	memory.*                         bytes of a client's state as it fills
//
// With several results those of a scenario are drawn one by one, as <scenario>.latency-percentile.<server>.*. It draws
// the formats named, or all where none is, and returns the paths. A file appears whole or not at
// all. What was not measured is not drawn, and LeftOut names it. An error is a result that cannot be drawn, results
// that cannot stand in one picture, an unknown format, or a file that cannot be written.
func Write(dir string, in []*benchresult.Document, formats ...string) ([]string, error) {
	if err := validate(in); err != nil {
		return nil, err
	}
	pictures, _ := draw(newScene(in))
	return chart.WriteAll(dir, pictures, formats...)
}

// LeftOut names the pictures that Write does not draw, and those that lack a result, each with the reason, such as a
// server whose counters are not its own.
func LeftOut(in []*benchresult.Document) ([]string, error) {
	if err := validate(in); err != nil {
		return nil, err
	}
	_, notes := draw(newScene(in))
	return notes, nil
}

func validate(in []*benchresult.Document) error {
	if len(in) == 0 {
		return errors.New("chart: no result")
	}
	if len(in) > most {
		return fmt.Errorf("chart: %d results: want at most %d, which is how many can be told apart", len(in), most)
	}
	for _, r := range in {
		if r == nil {
			return errors.New("chart: no result")
		}
		if len(r.Runs) == 0 && len(r.Costs) == 0 {
			return errors.New("chart: a result without scenarios and without costs: nothing to draw")
		}
		if err := validateRuns(r.Runs); err != nil {
			return err
		}
	}
	return together(in)
}

func validateRuns(runs []benchresult.Play) error {
	seen := map[string]bool{}
	for _, run := range runs {
		name := run.Scenario
		if name == "" || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
			return fmt.Errorf("chart: scenario %q is not a file name", name)
		}
		if seen[name] {
			return fmt.Errorf("chart: scenario %q stands twice in a result: its pictures would be written over "+
				"each other", name)
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
func complete(open benchresult.Open) error {
	a, r := open.Latency.Accepted, open.Latency.Rejected
	for _, h := range []*benchresult.Histogram{a.Response, a.Service, r.Response, r.Service} {
		if h == nil || h.Histogram == nil {
			return errors.New("a histogram of the response or the service time is missing")
		}
	}
	return nil
}

// together refuses results of other traffic or other limits: they would answer different questions.
func together(in []*benchresult.Document) error {
	runs := map[string]benchresult.Play{}
	for _, r := range in {
		a, b := in[0].Settings, r.Settings
		both := len(in[0].Costs) > 0 && len(r.Costs) > 0
		if both && (a.CostLimit != b.CostLimit || a.FillLimit != b.FillLimit) {
			return errors.New("chart: the results measured costs under different limits: draw them one by one")
		}
		for _, run := range r.Runs {
			first, known := runs[run.Scenario]
			if !known {
				runs[run.Scenario] = run
				continue
			}
			if first.ScenarioSHA256 != run.ScenarioSHA256 || first.Seed != run.Seed ||
				first.Limit != run.Limit || first.PlayedUS != run.PlayedUS {
				return fmt.Errorf("chart: scenario %q has other traffic, another seed, limit or length in each "+
					"result: "+
					"draw them one by one", run.Scenario)
			}
		}
	}
	return nil
}
