package main

import (
	"context"
	"fmt"
	"strings"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/recommend"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
	"ratelab/internal/traffic"
)

// Where the times of a log are whole seconds, where its requests lie within them is an assumption. Unless somebody has
// chosen a rule, the others are tried, and what they would change is said.

// wholeSeconds begins the note about what the other rules say.
const wholeSeconds = "times are whole seconds, spread evenly within each (--within-second even); "

// choseRule reports whether the user did.
func choseRule(given *commandline.Groups) bool {
	return given.FirstGiven(func(name string) bool { return name == "within-second" }) != ""
}

// underOtherRules are a log with each of the rules for whole seconds that nobody chose.
func underOtherRules(log *scenario.Scenario) (rules []string, all []*scenario.Scenario) {
	for _, rule := range traffic.WithinSeconds[1:] {
		trace, again := *log.Phases[0].Trace, *log
		trace.WithinSecond = rule
		again.Phases = []traffic.Phase{{Name: log.Phases[0].Name, Trace: &trace}}
		rules, all = append(rules, string(rule)), append(all, &again)
	}
	return rules, all
}

// otherRules notes which rows the models decide otherwise under another rule.
func (a *app) otherRules(job *simulate.Job) func(context.Context, *scenario.Scenario, *report.Run) ([]string, error) {
	return func(ctx context.Context, s *scenario.Scenario, run *report.Run) ([]string, error) {
		var differ []string
		rules, all := underOtherRules(s)
		for i, rule := range rules {
			again := a.newJob(all[i : i+1])
			again.Algorithms, again.Instead, again.Server = job.Algorithms, job.Instead, simulate.ModelServer
			result, err := again.Run(ctx)
			if err != nil {
				return nil, err
			}
			if text := rejectsOtherwise(run, &result.Document.Runs[0]); text != "" && !result.Interrupted {
				differ = append(differ, rule+" would reject "+text)
			}
		}
		if differ == nil {
			return nil, nil
		}
		return []string{wholeSeconds + strings.Join(differ, "; ")}, nil
	}
}

// mostRowsNamed is how many rows that decide otherwise are named.
const mostRowsNamed = 3

// rejectsOtherwise is "3 instead of 0 (gcra)", of the first few rows that do.
func rejectsOtherwise(run, other *report.Run) string {
	var all []string
	for i := range other.Results {
		o := &other.Results[i]
		if row := run.Find(o.Algorithm); row != nil && row.Rejected != o.Rejected {
			all = append(all, fmt.Sprintf("%d instead of %d (%s)", o.Rejected, row.Rejected, o.Algorithm))
		}
	}
	text := strings.Join(all[:min(len(all), mostRowsNamed)], ", ")
	if more := len(all) - mostRowsNamed; more > 0 {
		text += fmt.Sprintf(", and differently in %s", message.Count(more, "more row"))
	}
	return text
}

// choosesOtherwise notes what would be recommended under the other rules, where that is another name.
func (a *app) choosesOtherwise(ctx context.Context, f *recommendFlags, q *recommend.Question,
	doc *recommend.Document) error {
	if !f.HasTrace() || choseRule(f.Groups) {
		return nil
	}
	stream := q.Scenarios[0].Stream(q.Scenarios[0].Seed)
	for _, err := range stream.Requests() {
		if err != nil {
			return err
		}
	}
	if stream.Spread() == 0 {
		return nil
	}
	var differ []string
	rules, all := underOtherRules(q.Scenarios[0])
	for i, rule := range rules {
		again := *q
		again.Scenarios, again.Server, again.Memory, again.Search = all[i:i+1], recommend.Models, false, 0
		again.Scripts, again.Early = false, nil
		other, err := again.Answer(ctx, a.replay(f))
		if err != nil {
			return err
		}
		if first := other.OnThisTraffic.First(); first != doc.OnThisTraffic.First() {
			differ = append(differ, fmt.Sprintf("under %s it would be %s on this traffic", rule, orNothing(first)))
		}
	}
	if differ != nil {
		doc.Notes = append(doc.Notes, wholeSeconds+strings.Join(differ, "; "))
	}
	return nil
}
