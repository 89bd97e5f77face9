// Package bench is the job that measures: scenarios, algorithms and a real server in, a result out. It joins the
// packages that decide in virtual time, drive the wall clock and read the server's counters; the arithmetic is
// theirs. Flags, files and exit codes are the command's, and so is every clock.
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

	Rounds      int           // each measures everything once, in another order
	Wish        load.Wish     // what a round plays of each scenario
	WarmUp      time.Duration // before each measurement, not counted
	Segment     time.Duration // one closed-loop measurement
	Connections int           // of the open loop, and of the closed loop but for the sweep
	Sweep       []int         // connections of one closed loop each, rising; none: no sweep
	Fills       []int64       // requests of one memory fill each, at most fillLimit's; none: no fills

	// RepeatInvalid is how often each measurement of a round for which the generator was at fault, or in which the
	// server stood still, is made again, before its figures are taken as they are and the result is invalid; 0: never.
	RepeatInvalid int

	Version string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error // nil, or an error when the context ends it early
	Stop    <-chan struct{}                            // closed: give the round up, and mark the result partial

	Progress Progress // nil: nobody watches

	Kept string // what a run that was stopped has left on a given server; "": nothing
}

// What a job measures unless it says otherwise. So many connections bridge 10 ms, the longest stall with which a run is
// valid, at 3,200 requests per second: a shorter one makes no request wait for a connection.
const (
	DefaultRounds      = 5
	DefaultWarmUp      = 500 * time.Millisecond
	DefaultSegment     = time.Second
	DefaultConnections = 32
)

// DefaultSweep are the numbers of connections of the sweep.
func DefaultSweep() []int { return []int{1, 2, 4, 8, 16, 32, 64} }

// DefaultFills are the requests of the memory fills.
func DefaultFills() []int64 { return []int64{1, 10, 100, 1000, 10_000} }

// Progress is told what is being measured, and how many of the rounds, or of the paths of a comparison, are finished.
type Progress = func(where string, done, total int)

// InputError is input that cannot be meant: a scenario, an algorithm, a script, a server, a number.
type InputError = replay.InputError

// Check resolves every name of the job and runs nothing; its error is an *InputError with everything that is wrong.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}

// Run does the job. Errors are an *InputError, a *redis.Unavailable or what else kept the harness from
// running, such as a call that failed; there is no result then. A result may be partial, if the job was told to
// stop, or invalid, if the generator was at fault or the server stood still: it says so itself.
func (j *Job) Run(ctx context.Context) (*result.Document, error) {
	p, err := j.plan()
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}
