// Package bench is the job that measures: scenarios, limiters and a real server in, a document out. It joins the
// packages that decide in virtual time, play on the wall clock and read the server's counters. Comparison counts what
// two scripts do instead. Flags, files and exit codes are the command's, and so is every clock.
package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// Job is what to measure. All numbers are as the flags of bench run allow them.
type Job struct {
	Scenarios  []*scenario.Scenario
	Algorithms []algorithms.Choice // nil: the usual ones. The control, none, is measured in each round, named or not
	Scripts    []string            // files of users' own scripts, each with its binding beside it
	Server     string              // a spec of redis.Start; "": a container where Docker answers, else a process
	run.Instead

	Rounds      int           // each measures every limiter once, in another order
	Wish        load.Wish     // what a round plays of each scenario
	WarmUp      time.Duration // before each measurement, not counted
	Connections int

	// RepeatInvalid is how often a measurement that the machine or the server disturbed is repeated, before its figures
	// are taken as they are and the result is invalid; 0: never.
	RepeatInvalid int

	Saturate bool // measure each limiter in a closed loop, too

	Version string
	Clock   replay.Clock

	Progress Progress // nil: nobody watches

	Kept string // what a run that was stopped has left on a given server; "": nothing
}

// What a job measures unless it says otherwise. So many connections bridge 10 ms, the longest stall with which a run is
// valid, at 3,200 requests per second: a shorter one makes no request wait for a connection.
const (
	DefaultRounds      = 2
	DefaultWarmUp      = 100 * time.Millisecond
	DefaultConnections = 32
)

// Progress is told what is being measured, and how many of the rounds, or of the paths of a comparison, are finished.
type Progress = func(where string, done, total int)

// Check resolves every name of the job and runs nothing; its error, a *replay.InputError, has everything that is wrong.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}

// Run does the job. Errors are a *replay.InputError, a *redis.Unavailable or what else kept the harness from running,
// such as a call that failed; there is no result then. A result may be partial, if ctx was interrupted, or
// invalid, if the machine or the server disturbed it: it says so itself.
func (j *Job) Run(ctx context.Context) (*result.Document, error) {
	p, err := j.plan()
	if err != nil {
		return nil, err
	}
	s, err := begin(ctx, p.Server, p.Connections+1, p.Clock)
	if err != nil {
		return nil, err
	}
	return p.on(context.WithoutCancel(ctx), s)
}

// plan is the job with every name resolved: all that can still fail is the server.
type plan struct {
	*Job
	plays []*play
}

// play is a run.Plan of the part of a scenario that is played.
type play struct {
	run.Plan
	part    *load.Part
	whole   *traffic.Stream // all of the scenario
	virtual *result.Run     // what virtual time decides of the part; nil: not known yet
	rows    []*summary      // what was measured, by limiter; the control is the first
}

// summary is what all rounds found of one limiter in one scenario.
type summary struct {
	result.Latency
	verdicts []limit.Verdict // of virtual time, on the same requests where clients do not react
}

// plan resolves the job; the error, a *replay.InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	var wrong run.Problems
	checkServer(j.Server, &wrong)
	p := &plan{Job: j}
	for _, c := range j.Algorithms {
		checkOneGateway(c, &wrong)
	}
	for _, s := range j.Scenarios {
		p.plays = append(p.plays, j.play(s, &wrong))
	}
	return p, wrong.Err()
}

// checkOneGateway refuses a row of several gateways, each of which makes the calls that one makes.
func checkOneGateway(c algorithms.Choice, wrong *run.Problems) {
	if c.Gateways() > 0 {
		wrong.Bad(fmt.Errorf("%s: gateways that count each for itself are played by simulate; a call costs the same "+
			"on each of them: leave out nodes", c.Label))
	}
}

// play plans a scenario.
func (j *Job) play(s *scenario.Scenario, wrong *run.Problems) *play {
	if err := load.CheckScenario(s); err != nil {
		wrong.Bad(err)
	}
	played := *s
	played.Expect = nil // of the whole scenario
	r := &play{Plan: run.NewPlan(&played, j.Instead)}
	r.whole = r.Stream
	var err error
	if r.part, err = load.NewPart(r.whole, j.Wish); err != nil {
		wrong.Bad(fmt.Errorf("%s: %w", s.Name, err))
	} else {
		r.Stream = traffic.List(r.part.Requests, r.part.Until, true)
	}
	r.Enter(withControl(j.Algorithms, r.Policy), script.Files(j.Scripts), wrong)
	for _, e := range r.Limiters {
		r.rows = append(r.rows, &summary{Latency: result.Latency{Scenario: s.Name, Algorithm: e.Label,
			Outcomes: result.NewOutcomes()}})
	}
	return r
}

// withControl is choices with the control as the first. Where they are nil, it is what most people use under p, and
// what keeps the limit without another one.
func withControl(choices []algorithms.Choice, p limit.Policy) []algorithms.Choice {
	control := algorithms.Defaults()[:1]
	if choices == nil {
		choices = slices.DeleteFunc(algorithms.Defaults(), func(c algorithms.Choice) bool {
			return !slices.Contains(c.Algorithm.Traits.Usual, p.Contract)
		})
		for _, c := range algorithms.Guaranteeing(p, 1) {
			same := func(o algorithms.Choice) bool { return o.Label == c.Label }
			if !c.HasOwnLimit() && !slices.ContainsFunc(choices, same) {
				choices = append(choices, c)
			}
		}
	}
	return slices.Concat(control, slices.DeleteFunc(slices.Clone(choices), func(c algorithms.Choice) bool {
		return algorithms.IsFloor(c.Label)
	}))
}
