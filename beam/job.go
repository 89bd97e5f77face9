// Command ratelab-beam replays logs that are too large for one machine. The models decide on an Apache Beam runner,
// each shard of the keys separately. The document is the same as that of simulate --redis model --trace.
package main

import (
	"context"
	"fmt"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/accesslog"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Job is the configuration that all workers get, as JSON.
type Job struct {
	run.Instead
	Trace      accesslog.Trace // without its files
	Algorithms []string        // nil: all
	Version    string
	Shards     int
	Most       int64 // requests in a shard
	BothRules  bool  // also decide whole seconds under the other rule
}

// Times are facts about the whole log that each shard needs.
type Times struct {
	FirstUS int64
	Ranks   []int // of files by number: of two requests at the same instant, the one with the lower rank is first
}

// Sum is the result for some of the keys, under one rule for whole seconds.
type Sum struct {
	*replay.Part
	accesslog.Log
}

// plan returns the job's plan for a log whose first request was at firstUS.
func (j *Job) plan(t accesslog.Trace, firstUS int64) (*run.Ask, *run.Plan, error) {
	s := scenario.FromTrace(t, *j.Limit)
	s.Begin(firstUS, 0)
	ask := &run.Ask{Scenarios: []*scenario.Scenario{s}, Version: j.Version, Instead: j.Instead}
	for _, label := range j.Algorithms {
		choice, err := algorithms.Parse(label)
		if err != nil {
			return nil, nil, err
		}
		ask.Algorithms = append(ask.Algorithms, choice)
	}
	plans, err := ask.Plans()
	if err != nil {
		return nil, nil, err
	}
	return ask, plans[0], nil
}

// decide decides a shard's requests: under the usual rule for whole seconds, and also under the other rule if it
// differs. failed is the reason if they cannot be decided, so that retries are useless.
func (j *Job) decide(ctx context.Context, batches [][]byte, times *Times) (sums []Sum, failed string, err error) {
	list, err := merge(batches, times.Ranks, j.Most)
	if list == nil {
		return nil, fmt.Sprintf("a shard has more than the %d requests that --shard-memory allows; want more "+
			"--shards, or more memory if they are of one key", j.Most), err
	}
	ordered := func(yield func(limit.Request, bool) bool) {
		for _, p := range list {
			if !yield(p.Request, p.whole) {
				return
			}
		}
	}
	for t, again := j.Trace, true; again; t.WithinSecond = accesslog.AtStart {
		_, plan, err := j.plan(t, times.FirstUS)
		if err != nil {
			return nil, "", err
		}
		var rows []replay.Row
		for _, l := range plan.Limiters {
			rows = append(rows, replay.Row{Label: l.Label, Decider: replay.NewModel(l.NewModel(), plan.Scenario.Start)})
		}
		log := accesslog.Log{FirstUS: times.FirstUS}
		shard := t.Ordered(&log, ordered)
		o := replay.Options{Scales: measure.TimeScales(plan.Policy.WindowUS())}
		part, err := replay.RunPart(ctx, shard, plan.Policy, rows, o)
		if ctx.Err() != nil {
			return nil, "", err
		} else if err != nil {
			return nil, strings.Replace(err.Error(), ":0:", ":", 1), nil // the requests have no line number
		}
		for _, tally := range append(part.Rows, part.Reference) { // these are only for charts
			tally.Series = measure.Series{}
		}
		part.Traffic = measure.Traffic{}
		sums = append(sums, Sum{part, log})
		again = j.BothRules && len(sums) == 1 && log.Spread > 0
	}
	return sums, "", nil
}

// add adds the Sum of other keys.
func (s *Sum) add(o Sum) {
	if s.Part == nil {
		*s = o
		return
	}
	// If both end with requests at one instant, a moved request comes before one that was recorded at that instant.
	endUS := s.EndUS
	if o.Log.LastUS > s.Log.LastUS || o.Log.LastUS == s.Log.LastUS && o.EndUS < s.EndUS {
		endUS = o.EndUS
	}
	all := replay.Whole{DurationUS: endUS, LastUS: max(s.All.LastUS, o.All.LastUS),
		LargestCost: max(s.All.LargestCost, o.All.LargestCost)}
	s.Part = s.Part.Plus(o.Part)
	s.All = all
	s.Log = accesslog.Log{Requests: s.Requests + o.Requests, Spread: s.Spread + o.Spread, EndUS: endUS,
		Clients: s.Clients + o.Clients,
		LastUS:  max(s.Log.LastUS, o.Log.LastUS)}
}
