package main

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// atLimit separates the name of a scenario from one of several limits.
const atLimit = "-at-"

// underEach returns each scenario once for each limit. Expectations were written for the scenario's own limit.
func underEach(list []*scenario.Scenario, limits []limit.Policy) (all []*scenario.Scenario) {
	for _, s := range list {
		for _, p := range limits {
			one := *s
			p.Contract, p.Burst = max(p.Contract, s.Limit.Contract), 0
			one.Name += atLimit + strings.ReplaceAll(strings.Fields(p.String())[0], "/", "-per-")
			one.Limit, one.Limits, one.Expect = p, nil, nil
			one.Question = fmt.Sprintf("What does a limit of %v admit of %s?", p, s.Name)
			all = append(all, &one)
		}
	}
	return all
}

// sweptLimits returns the input of a chart for each scenario that was played at several limits. Its run has the rows of
// all limits, each judged by its own limit.
func sweptLimits(found *run.Result) (all []curves.Input) {
	for i := range found.Document.Runs {
		r := &found.Document.Runs[i]
		name, at, is := strings.Cut(r.Scenario, atLimit)
		if !is {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Run.Scenario != name {
			run := result.Run{Scenario: name, Question: "What do these limits admit of " + name + "?", Seed: r.Seed,
				Limit: r.Limit, Server: r.Server}
			all = append(all, curves.Input{Run: &run, Version: found.Document.Tool.Version})
		}
		into := all[len(all)-1].Run
		x := float64(r.Limit.Requests)
		for _, row := range r.Results {
			k := slices.IndexFunc(into.Sweeps, func(s result.Sweep) bool { return s.Of == row.Algorithm })
			if k < 0 {
				k = len(into.Sweeps)
				into.Sweeps = append(into.Sweeps, result.Sweep{Of: row.Algorithm, Parameter: curves.OfLimit})
			}
			row.Algorithm += ":" + at
			into.Results = append(into.Results, row)
			into.Sweeps[k].Rows = append(into.Sweeps[k].Rows, row.Algorithm)
			into.Sweeps[k].Values = append(into.Sweeps[k].Values, &x)
		}
	}
	return all
}
