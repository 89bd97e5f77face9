// Command ratelab-beam replays logs that outgrow one machine: the models decide on an Apache Beam runner, each shard of
// the keys by itself, and the document is that of simulate --redis model --trace.
package main

import (
	"context"
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// Job is what every worker must know. It travels as JSON.
type Job struct {
	run.Instead
	Trace      traffic.Trace // without its files
	Algorithms []string      // nil: all
	Version    string
	Shards     int
	Most       int64 // requests in a shard
	BothRules  bool  // whether whole seconds are decided under the other rule, too
}

// Times are what the whole log tells each shard.
type Times struct {
	FirstUS int64
	Ranks   map[int]int // of files by number: of two requests of one instant, that of the lower rank is the first
}

// Sum is the result for some of the keys under one rule for whole seconds.
type Sum struct {
	*replay.Part
	traffic.Log
}

// Decided is what a shard found. A second Sum is that under the other rule, if it differs.
type Decided struct {
	Sums   []Sum
	Failed string // why the shard cannot be decided, whatever is tried
}

// plan is the job's plan for a log whose first request was at firstUS.
func (j *Job) plan(t traffic.Trace, firstUS int64) (*run.Ask, *run.Plan, error) {
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

// decide decides a shard's requests under each rule.
func (j *Job) decide(ctx context.Context, batches [][]byte, times *Times) (*Decided, error) {
	list, keys, err := merge(batches, times.Ranks, j.Most)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return &Decided{Failed: fmt.Sprintf("a shard has more than the %d requests that --shard-memory allows; want more "+
			"--shards, or more memory if they are of one key", j.Most)}, nil
	}
	ordered := func(yield func(limit.Request, bool) bool) {
		for _, p := range list {
			q := limit.Request{AtUS: p.atUS, Key: keys[p.key], Cost: int64(p.flagged >> 1)}
			if !yield(q, p.flagged&1 != 0) {
				return
			}
		}
	}
	var out Decided
	for t, again := j.Trace, true; again; t.WithinSecond = traffic.AtStart {
		_, plan, err := j.plan(t, times.FirstUS)
		if err != nil {
			return nil, err
		}
		var rows []replay.Row
		for _, l := range plan.Limiters {
			rows = append(rows, replay.Row{Label: l.Label, Decider: replay.NewModel(l.NewModel(), plan.Scenario.Start)})
		}
		shard := &traffic.Shard{Log: traffic.Log{FirstUS: times.FirstUS}, Trace: t, Ordered: ordered}
		o := replay.Options{Scales: measure.TimeScales(plan.Policy.WindowUS()), Fairness: true}
		part, err := replay.RunPart(ctx, shard, plan.Policy, rows, o)
		if ctx.Err() != nil {
			return nil, err
		} else if err != nil {
			return &Decided{Failed: err.Error()}, nil
		}
		for _, tally := range append(part.Rows, part.Reference) { // no chart is drawn
			tally.Series = measure.Series{}
		}
		part.Traffic = measure.Traffic{}
		out.Sums = append(out.Sums, Sum{part, shard.Log})
		again = j.BothRules && len(out.Sums) == 1 && shard.Spread > 0
	}
	return &out, nil
}

// add adds the Sum of other keys.
func (s *Sum) add(o Sum) {
	all := replay.Whole{LastUS: o.All.LastUS, LargestCost: o.All.LargestCost, DurationUS: o.EndUS}
	if s.Part == nil {
		*s = o
		return
	}
	switch {
	case o.Log.LastUS < s.Log.LastUS:
		all.DurationUS = s.EndUS
	case o.Log.LastUS == s.Log.LastUS: // a request that was moved there is before one that was there
		all.DurationUS = min(s.EndUS, o.EndUS)
	}
	all.LastUS, all.LargestCost = max(s.All.LastUS, all.LastUS), max(s.All.LargestCost, all.LargestCost)
	s.Part = s.Part.Plus(o.Part)
	s.All, s.EndUS = all, all.DurationUS
	s.Log.LastUS = max(s.Log.LastUS, o.Log.LastUS)
	s.Requests, s.Spread = s.Requests+o.Requests, s.Spread+o.Spread
}
