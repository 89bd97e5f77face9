package simulate

import (
	"context"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/curves"
	"ratelab/internal/lineup"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
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
	Scenarios  []*scenario.Scenario
	Algorithms []algorithms.Choice // nil: all, and the labels that a scenario expects something of
	Expected   bool                // only the rows that a scenario expects something of, instead of Algorithms
	Scripts    []string            // files of users' own scripts, each with its binding beside it
	Server     string              // ModelServer, or a spec of redisserver.Start
	lineup.Instead

	Clock    string
	LongReal bool // a real clock may run for more than MaxReal

	// Only is the one key whose requests arrive, and until when, so that the memory which is left is what it takes, on
	// a server that others use, too; nil: all. Clients that react do as ever.
	Only *lineup.OneKey

	AllowEviction bool // the user's server may be one that evicts keys

	Version string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error // nil, or an error when the context ends it early
	Stop    <-chan struct{}                            // closed: end early and mark the document partial

	Progress Progress
	Notice   func(line string) // is called with what the user ought to know at once; nil: nobody listens
	// Assumed is asked what the other rules come to where requests of a trace were given a place within their second;
	// nil: nobody is.
	Assumed   func(context.Context, *scenario.Scenario) ([]Assumption, error)
	Decided   func(*report.Run) // is called with each scenario's figures as soon as they are there; nil: the same
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
	Charts   []curves.Input
	Warnings []string

	Interrupted bool // the job was stopped: the last run is partial, or its notes say how many are missing
}

// InputError is invalid input: a scenario, an algorithm, a script.
type InputError = lineup.InputError

// paced reports whether the job is on the wall clock.
func (j *Job) paced() bool { return j.Clock == RealClock }
