// Package simulate is the main job: scenarios, algorithms and a server in, a document and the data of its charts
// out. It joins the other packages and holds no arithmetic of its own; flags, files and exit codes are the
// command's.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/simchart"
	"ratelab/scenarios"
)

// ModelServer is the server spec with which the Go models decide.
const ModelServer = "model"

// Clocks that a job can run under.
const (
	VirtualClock = "virtual"
	RealClock    = "real"
)

// Job is what to simulate. Version, Now and Sleep are required.
type Job struct {
	Scenarios  []*scenarios.Scenario
	Algorithms []algorithms.Choice // nil: all, and the labels that a scenario expects something of
	Expected   bool                // only the rows that a scenario expects something of, instead of Algorithms
	Scripts    []string            // files of users' own scripts, each with its binding beside it
	Server     string              // ModelServer, or a spec of redisserver.Start
	Limit      *limit.Policy       // replaces each scenario's own
	Seed       *uint64             // replaces each scenario's own

	Clock    string
	LongReal bool // a real clock may run for more than MaxReal

	AllowEviction bool // the user's server may be one that evicts keys

	Version string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error // nil, or an error when the context ends it early
	Stop    <-chan struct{}                            // closed: end early and mark the document partial

	Progress  Progress
	Notice    func(line string) // is called with what the user ought to know at once; nil: nobody listens
	Decisions *Decisions        // nil: not wanted
}

// MaxReal is how long a job on the real clock may take unless LongReal asks for more.
const MaxReal = 5 * time.Minute

// Progress is told how far a job is. Total is 0 where it is not known.
type Progress interface {
	Scenario(name string, number, of int, total int64)
	Requests(done int64)
}

// Result is what a job found.
type Result struct {
	Document report.Document
	Charts   []simchart.Input
	Warnings []string

	Interrupted bool // the job was stopped: the last run is partial, or its notes say how many are missing
}

// InputError is input that cannot be meant: a scenario, an algorithm, a script.
type InputError = lineup.InputError

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
	all.Document = report.Document{SchemaVersion: result.Simulation.Version, Tool: result.Tool{Name: "simulate", Version: j.Version}}
	for i, p := range plan.runs {
		if j.Progress != nil {
			total, _ := p.stream.Count()
			j.Progress.Scenario(p.Scenario.Name, i+1, len(plan.runs), total)
		}
		run, picture, err := j.run(ctx, p, b)
		if err != nil {
			return nil, err
		}
		all.Document.Runs = append(all.Document.Runs, *run)
		if !(run.Partial && p.Scenario.Reactive()) { // its rows end at different moments, and share no axis
			all.Charts = append(all.Charts, *picture)
		}
		if left := len(plan.runs) - i - 1; run.Partial || left > 0 && j.stopped() {
			all.interrupt(left)
			break
		}
	}
	return all, nil
}

func (j *Job) stopped() bool {
	select {
	case <-j.Stop:
		return true
	default:
		return false
	}
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
func (j *Job) run(ctx context.Context, p *contest, b *backend) (*report.Run, *simchart.Input, error) {
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
	picture := &simchart.Input{Run: run, Version: j.Version, Traffic: outcome.Traffic, Reference: outcome.ReferenceSeries}
	for i, l := range outcome.Lanes {
		picture.Algorithms = append(picture.Algorithms, simchart.Panel{Label: run.Results[i].Algorithm, Series: l.Series, Traffic: lanes[i].traffic})
	}
	return run, picture, nil
}
