package main

import (
	"context"
	"fmt"
	"strings"

	"ratelab/internal/commandline"
	"ratelab/internal/recommend"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
	"ratelab/internal/traffic"
)

// Where the times of a log are whole seconds, where its requests lie within them is an assumption. Unless somebody has
// chosen a rule, the others are tried, and what they would change is said.

// choseRule reports whether the user did.
func choseRule(given *commandline.Groups) bool {
	return given.FirstGiven(func(name string) bool { return name == "within-second" }) != ""
}

// underOtherRules are a log with each of the rules for whole seconds that nobody chose.
func underOtherRules(log *scenario.Scenario) (rules []string, all []*scenario.Scenario) {
	for _, rule := range traffic.WithinSeconds[1:] {
		rules, all = append(rules, string(rule)), append(all, underRule(log, rule))
	}
	return rules, all
}

// underRule is a log with a rule for whole seconds.
func underRule(log *scenario.Scenario, rule traffic.WithinSecond) *scenario.Scenario {
	trace, again := *log.Phases[0].Trace, *log
	trace.WithinSecond = rule
	again.Phases = []traffic.Phase{{Name: log.Phases[0].Name, Trace: &trace}}
	return &again
}

// otherRules is what the models reject under each of the other rules; of a shard where that is asked for.
func (a *app) otherRules(job *simulate.Job, shard replay.Shard) func(context.Context, *scenario.Scenario) (
	[]simulate.Assumption, error) {
	return func(ctx context.Context, s *scenario.Scenario) ([]simulate.Assumption, error) {
		var assumed []simulate.Assumption
		rules, all := underOtherRules(s)
		for i, rule := range rules {
			again := a.newJob(all[i : i+1])
			again.Algorithms, again.Instead, again.Server = job.Algorithms, job.Instead, simulate.ModelServer
			rejected, whole, err := again.Rejected(ctx, shard)
			if err != nil {
				return nil, err
			}
			if whole {
				assumed = append(assumed, simulate.Assumption{Rule: rule, Rejected: rejected})
			}
		}
		return assumed, nil
	}
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
		doc.Notes = append(doc.Notes, simulate.WholeSeconds+strings.Join(differ, "; "))
	}
	return nil
}
