package bench

import (
	"context"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/benchresult"
	"ratelab/internal/scenario"
)

// Comparison is two sides to measure in turn, in one run: two scripts on one server, or the built-in algorithms on
// two servers. Base, Head, Version, Now and Sleep are required; the other fields' zero values stand for the constants
// below.
type Comparison struct {
	Base, Head SideSpec
	Algorithms []algorithms.Choice // of two servers; nil: all
	// whose decisions must be the same; nil: the built-in ones whose clients do not react
	Scenarios []*scenario.Scenario
	// of two scripts: a spec of redisserver.Start; "": a container where Docker answers, else a process
	Server string

	AllowEviction bool // a user's server may be one that evicts keys

	Mix         string        // one of benchresult.Mixes; "": half
	Pairs       int           // the most measurements of each side; fewer where the verdict is clear before
	Segment     time.Duration // one measurement of a side; the control's take half of it
	WarmUp      time.Duration // before each measurement, not counted; negative: none
	Connections int

	// what counts the instructions of both scripts; "": nobody
	Instructions Counting
	States       []string // of a key in which they are; nil: all
	Untimed      bool     // decisions, work and instructions alone: no times
	EveryGate    bool     // measure times also where what was counted is a regression already
	Pinned       string   // a folder with the scripts of a pinned release; "": none

	Version string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration) error // nil, or an error when the context ends it early
	// closed: keep the pairs that are finished, and mark the result partial
	Stop <-chan struct{}

	Progress Progress          // nil: nobody watches
	Notice   func(line string) // is called with what the user ought to know at once; nil: nobody listens
}

// Counting is whether instructions are counted.
type Counting string

// The ways of counting. What CountIfPossible cannot count it leaves out, with the reason; it is an error of
// CountOrFail.
const (
	CountIfPossible Counting = "if possible"
	CountOrFail     Counting = "or fail"
)

// What a comparison measures unless it says otherwise.
const (
	DefaultPairs       = 64
	DefaultPairSegment = 240 * time.Millisecond // an even number of stretches, and short: fewer stalls fall into it
	DefaultPairWarmUp  = 100 * time.Millisecond
)

// SideSpec names one side of a comparison. Spec is one of
//
//	a script's file     my.lua with its binding my.yaml beside it. A file without one is called as the built-in
//	                    algorithm is whose label As says, or whose name the file has
//	an algorithm        its label, such as gcra:burst=100
//	a server            process, process=PATH, container, container=IMAGE, an image's name such as redis:8.0, or a URL
type SideSpec struct {
	Spec string
	As   string // the label of a built-in algorithm; "": none is stated
}

// Check resolves every name of the comparison and runs nothing; its error is an *InputError with everything that is
// wrong.
func (c *Comparison) Check() error {
	_, err := c.plan()
	return err
}

// Run measures. Errors are those of Job.Run.
func (c *Comparison) Run(ctx context.Context) (*benchresult.Paired, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}
