// Package simulate is the main job: scenarios, algorithms and a server in, a document and the data of its charts
// out. It joins the other packages and holds no arithmetic of its own; flags, files and exit codes are the
// command's.
package simulate

import (
	"context"
	"errors"
	"fmt"

	"ratelab/internal/curves"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/waiting"
)

// ErrExpectation is what a document is at fault of that missed an expectation.
var ErrExpectation = errors.New("expectation missed")

// Run does the job. Errors are an *InputError, a *redisserver.Unavailable or what else kept the harness from
// running; there is no result then. A document with missed expectations is no error here.
func (j *Job) Run(ctx context.Context) (*Result, error) {
	plan, err := j.plan()
	if err != nil {
		return nil, err
	}
	b, err := j.start(ctx, plan)
	if err != nil {
		return nil, err
	}
	defer b.close()
	return j.decide(ctx, plan, b)
}

// decide replays every scenario of the plan.
func (j *Job) decide(ctx context.Context, plan *plan, b *backend) (*Result, error) {
	all := &Result{Warnings: append(plan.warnings(b.kind()), b.warnings()...)}
	if err := j.try(ctx, plan); err != nil {
		return nil, err
	}
	all.Document = report.Document{SchemaVersion: result.Simulation.Version,
		Tool: result.Tool{Name: "simulate", Version: j.Version}}
	for i, p := range plan.runs {
		if j.Progress != nil {
			total, _ := p.stream.Count()
			j.Progress.Scenario(p.Scenario.Name, i+1, len(plan.runs), total)
		}
		run, picture, err := j.run(ctx, p, b)
		if err != nil {
			return nil, err
		}
		if j.Assumed != nil && !run.Partial && p.stream.Spread() > 0 {
			assumed, err := j.Assumed(ctx, p.Scenario)
			if err != nil {
				return nil, err
			}
			run.Notes = append(run.Notes, assumedNote(run, assumed)...)
		}
		all.Document.Runs = append(all.Document.Runs, *run)
		if !(run.Partial && p.Scenario.Reactive()) { // its rows end at different moments, and share no axis
			all.Charts = append(all.Charts, *picture)
		}
		left := len(plan.runs) - i - 1
		stopped := run.Partial || left > 0 && waiting.Closed(j.Stop)
		if stopped {
			all.interrupt(left)
		}
		if j.Decided != nil {
			j.Decided(&all.Document.Runs[i])
		}
		if stopped {
			return all, nil
		}
	}
	return all, j.examine(ctx, plan, b, &all.Document)
}

// interrupt notes how many scenarios after the last one were not run.
func (r *Result) interrupt(left int) {
	r.Interrupted = true
	if left == 0 {
		return
	}
	last := &r.Document.Runs[len(r.Document.Runs)-1]
	last.Notes = append(last.Notes, fmt.Sprintf("interrupted: of the scenarios after this one, %d were not run", left))
}

// run replays one scenario.
func (j *Job) run(ctx context.Context, p *contest, b *backend) (*report.Run, *curves.Input, error) {
	var lanes []*lane
	var err error
	var outcome *replay.Outcome
	b.begin(ctx)
	if j.Clock == RealClock {
		lanes, outcome, err = j.runReal(ctx, p, b)
	} else {
		lanes, outcome, err = j.runVirtual(ctx, p, b)
	}
	if err == nil {
		err = b.check(ctx)
	}
	if err != nil {
		return nil, nil, lineup.Blamed(err)
	}
	run := j.describe(p, b, lanes, outcome)
	picture := &curves.Input{Run: run, Version: j.Version, Traffic: outcome.Traffic}
	if run.Reference != nil {
		picture.Reference = &outcome.ReferenceSeries
	}
	for i, l := range outcome.Lanes {
		if keys := lanes[i].keys; keys != nil {
			l.Series.Keys = keys(l.Series.BucketUS, len(l.Series.Admitted))
		}
		picture.Algorithms = append(picture.Algorithms,
			curves.Lane{Label: run.Results[i].Algorithm, Series: l.Series, Traffic: lanes[i].traffic})
	}
	return run, picture, nil
}

// start gets the servers that the plan needs.
func (j *Job) start(ctx context.Context, p *plan) (*backend, error) {
	b := &backend{job: j}
	if j.Server == ModelServer {
		return b, nil
	}
	lanes := 1
	for _, run := range p.runs {
		lanes = max(lanes, run.rows())
	}
	servers := 1
	if j.Server == redisserver.KindEmbedded {
		servers = lanes // each has one lock and one Lua at a time
	}
	for range servers {
		s, err := redisserver.Start(ctx, j.Server, redisserver.WithPoolSize(lanes+1),
			redisserver.WithEviction(j.AllowEviction), redisserver.WithNotices(j.Notice))
		if err != nil {
			b.close()
			var bad *redisserver.BadSpec
			if errors.As(err, &bad) {
				return nil, &InputError{Err: err}
			}
			return nil, err
		}
		b.servers = append(b.servers, s)
	}
	return b, nil
}
