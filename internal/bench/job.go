// Package bench is the job that measures: scenarios, limiters and a real server in, a document out. It joins the
// packages that decide in virtual time, play on the wall clock and read the server's counters. Comparison counts what
// two scripts do instead. Flags, files and exit codes are the command's, and so is every clock.
package bench

import (
	"context"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/load"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Job is what to measure. All numbers are as the flags of bench run allow them.
type Job struct {
	Scenarios  []*scenario.Scenario
	Algorithms []algorithms.Choice // nil: all. The control, none, is measured in each round whether named or not
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

	Version string
	Clock   replay.Clock
	Stop    <-chan struct{} // closed: give the round up, and mark the result partial

	Progress Progress // nil: nobody watches

	Kept string // what a run that was stopped has left on a given server; "": nothing
}

// What a job measures unless it says otherwise. So many connections bridge 10 ms, the longest stall with which a run is
// valid, at 3,200 requests per second: a shorter one makes no request wait for a connection.
const (
	DefaultRounds      = 3
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
// such as a call that failed; there is no result then. A result may be partial, if the job was told to stop, or
// invalid, if the machine or the server disturbed it: it says so itself.
func (j *Job) Run(ctx context.Context) (*result.Document, error) {
	p, err := j.plan()
	if err != nil {
		return nil, err
	}
	s, err := begin(ctx, p.Server, p.Connections+1, &p.plays[0].Plan, p.Clock, p.Stop)
	if err != nil {
		return nil, err
	}
	return p.on(ctx, s)
}
