// Package bench runs measurements: from scenarios, limiters and a real server, it makes a document. It combines the
// packages that decide in virtual time, play on the wall clock and read the server's counters. Comparison counts the
// work of two scripts instead. The command is responsible for flags, files, exit codes and clocks.
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

// Job describes a measurement. All numbers are in the ranges of the flags of bench run.
type Job struct {
	Scenarios  []*scenario.Scenario
	Algorithms []algorithms.Choice // nil: the usual ones. The control, none, is always measured too
	Scripts    []string            // files of users' scripts, each with its binding
	Server     string              // a spec of redis.Start; "": a container if Docker works, else a process
	run.Instead

	Rounds      int           // each measures all limiters once, in another order
	Wish        load.Wish     // the part of each scenario to play
	WarmUp      time.Duration // time before each measurement that is not counted
	Connections int

	// RepeatInvalid is how often a disturbed measurement is repeated. After that, its figures are used and the result
	// is invalid. 0: never repeat.
	RepeatInvalid int

	Saturate bool // also measure each limiter in a closed loop

	Version string
	Clock   replay.Clock

	Progress Progress // may be nil

	Kept string // keys that a stopped run has left on a given server; "": none
}

// The defaults of a job. At 3,200 requests per second, 32 connections bridge 10 ms, the longest stall of a valid
// measurement: during a shorter stall, no request waits for a connection.
const (
	DefaultRounds      = 2
	DefaultWarmUp      = 100 * time.Millisecond
	DefaultConnections = 32
)

// Progress gets the current measurement, and how many rounds, or paths of a comparison, are finished.
type Progress = func(where string, done, total int)

// Check resolves all names of the job, but runs nothing. The error is a *replay.InputError with all mistakes.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}

// Run does the job. Errors are a *replay.InputError, a *redis.Unavailable, or another failure such as a failed call;
// then there is no result. A result may be partial, if ctx was interrupted, or invalid, if the machine or the server
// disturbed it. The document says so.
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

// plan is a job with all names resolved. After that, only the server can fail.
type plan struct {
	*Job
	plays []*play
}

// play is a run.Plan for the part of a scenario that is played.
type play struct {
	run.Plan
	part    *load.Part
	whole   *traffic.Stream // the whole scenario
	virtual *result.Run     // the decisions of virtual time on the part; nil: not yet known
	rows    []*summary      // the measurements, by limiter; the control is the first
}

// summary holds the results of all rounds for one limiter in one scenario.
type summary struct {
	result.Latency
	verdicts []limit.Verdict // of virtual time, on the same requests if clients do not react
}

// plan resolves the names. The error is a *replay.InputError with all mistakes.
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

// checkOneGateway refuses a row with several gateways, because each of them makes the same calls as one.
func checkOneGateway(c algorithms.Choice, wrong *run.Problems) {
	if c.Gateways() > 0 {
		wrong.Bad(fmt.Errorf("%s: several gateways work only with simulate; a call costs the same on "+
			"each of them: leave out nodes", c.Label))
	}
}

// play makes the plan of a scenario.
func (j *Job) play(s *scenario.Scenario, wrong *run.Problems) *play {
	if err := load.CheckScenario(s); err != nil {
		wrong.Bad(err)
	}
	played := *s
	played.Expect = nil // these apply to the whole scenario
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

// withControl returns choices with the control as the first. If choices is nil, it returns the usual algorithms under
// p, and those that guarantee the limit without a lower limit of their own.
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
