package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/counting"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Comparison is two scripts of which everything is counted that can be: decisions, commands, bytes and instructions.
// Base, Head, Now and Sleep are required.
type Comparison struct {
	Base, Head SideSpec
	// whose decisions must be the same; nil: the built-in ones whose clients do not react
	Scenarios []*scenario.Scenario
	// process or container, with a program or an image; "": a container where Docker answers, else a process
	Server string

	WithoutInstructions bool     // count everything else
	States              []string // of a key in which instructions are counted; nil: all

	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error // nil, or an error when the context ends it early
	Stop  <-chan struct{}                            // closed: end with ErrStopped

	Progress Progress // nil: nobody watches
}

// ErrStopped is the error of a comparison that was told to stop.
var ErrStopped = counting.ErrStopped

// comparing is a comparison with every name resolved.
type comparing struct {
	*Comparison
	sides    [2]*run.Side
	costs    [2]*run.Limiter // under costLimit
	runs     [2][]*contest   // by scenario
	limits   []limit.Policy  // under which instructions are counted, countLimit first
	progress *progress
}

// sideFlags are the flags that say what the sides are, base's first.
var sideFlags = [2]string{"--base", "--head"}

// Check resolves every name of the comparison and runs nothing; its error is an *InputError with everything that is
// wrong.
func (c *Comparison) Check() error {
	_, err := c.plan()
	return err
}

// plan resolves the comparison; the error, an *InputError, has everything that is wrong with it.
func (c *Comparison) plan() (*comparing, error) {
	p := &comparing{Comparison: c}
	var wrong run.Problems
	counting.CheckServer(c.Server, &wrong)
	for i, spec := range []SideSpec{c.Base, c.Head} {
		var err error
		if p.sides[i], err = spec.resolve(sideFlags[i]); err != nil {
			wrong.Bad(err)
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	scenarios := c.Scenarios
	if scenarios == nil {
		all, err := scenario.Builtin()
		if err != nil {
			return nil, err
		}
		scenarios = slices.DeleteFunc(all, func(s *scenario.Scenario) bool { return !s.Plain() })
	}
	for _, s := range scenarios {
		checkPlain(s, &wrong)
	}
	for i, side := range p.sides {
		var err error
		if p.costs[i], err = side.Under(costLimit); err != nil {
			wrong.Bad(err)
		}
		p.runs[i] = meet(side, scenarios, &wrong)
	}
	p.limits = []limit.Policy{countLimit}
	for _, s := range c.Scenarios {
		if !slices.Contains(p.limits, s.Limit) {
			p.limits = append(p.limits, s.Limit)
		}
	}
	return p, wrong.Err()
}

// countLimit is the limit under which instructions are always counted. It alone takes about half a minute.
var countLimit = limit.Policy{Requests: 10, Window: time.Second}

// meet makes a side's contests, one for each scenario.
func meet(side *run.Side, scenarios []*scenario.Scenario, wrong *run.Problems) []*contest {
	var runs []*contest
	for _, s := range scenarios {
		r := &contest{Plan: run.NewPlan(s, run.Instead{})}

		e, err := side.In(s)
		if err != nil {
			wrong.Bad(err)
			continue
		}
		r.Limiters = []*run.Limiter{e}
		runs = append(runs, r)
	}
	return runs
}

// checkPlain refuses a scenario in which more happens than its phases say: what arrives would depend on what is
// decided.
func checkPlain(s *scenario.Scenario, wrong *run.Problems) {
	if s.Reactive() {
		wrong.Bad(fmt.Errorf("%s: clients that react, clocks and sequences are played in virtual time only; leave it "+
			"to simulate, or leave those fields out", s.Name))
	}
	if s.Faulty() {
		wrong.Bad(fmt.Errorf("%s: managed and server_outage are played in virtual time only; leave it to simulate, or "+
			"leave those fields out", s.Name))
	}
}

// Run counts. Errors are an *InputError, a *counting.Missing where instructions cannot be counted, ErrStopped, and
// those of the server.
func (c *Comparison) Run(ctx context.Context) (*counting.Report, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	if !c.WithoutInstructions {
		if _, err := counting.Version(ctx); err != nil {
			return nil, err
		}
	}
	p.progress = newProgress(c.Progress, p.estimate())
	for _, runs := range p.runs {
		if err := runs[0].try(ctx, c.Server, "", replay.Clock{Now: c.Now, Sleep: c.Sleep}); err != nil {
			return nil, err
		}
	}
	server, note, err := startServer(ctx, c.Server, 2)
	if err != nil {
		return nil, err
	}
	s := newSession(server, c.Server, note, &session{now: c.Now, sleep: c.Sleep, stop: c.Stop, began: c.Now()})
	report, err := p.on(ctx, s)
	if err = s.close(ctx, err); errors.Is(err, errStopped) {
		err = ErrStopped
	}
	return report, err
}

// on counts both sides on a server.
func (p *comparing) on(ctx context.Context, s *session) (*counting.Report, error) {
	var sides [2]*counting.Side
	for i := range p.sides {
		var err error
		if sides[i], err = p.count(ctx, i, s); err != nil {
			return nil, err
		}
	}
	spec := cmp.Or(s.spec, s.server.Kind)
	name := s.server.String()
	if p.WithoutInstructions {
		return counting.Of(sides[0], sides[1], nil, name), nil
	}
	subjects := []counting.Subject{{Label: "base", Under: p.sides[0].Under},
		{Label: "head", Under: p.sides[1].Under}}
	j := &counting.Job{Subjects: subjects, Limits: p.limits, States: p.States, Server: spec, Now: p.Now,
		Sleep: p.Sleep, Stop: p.Stop, Progress: func(where string, _, _ int) {
			p.progress.step(fmt.Sprintf("instructions of %s", where), pathTime)
		}}
	counted, err := j.Run(message.WithWatch(ctx, message.Watch{Stop: p.Stop}))
	if err != nil {
		return nil, err
	}
	return counting.Of(sides[0], sides[1], counted, name), nil
}

// count decides the scenarios on one side in virtual time, and counts what its calls take.
func (p *comparing) count(ctx context.Context, i int, s *session) (*counting.Side, error) {
	side := &counting.Side{Name: p.sides[i].Name, Label: p.costs[i].Label}
	var found []virtualResult
	for _, r := range p.runs[i] {
		p.progress.step(fmt.Sprintf("%s %s in virtual time", side.Name, r.Scenario.Name), scenarioTime)
		all, err := s.decide(ctx, r)
		if err != nil {
			return nil, err
		}
		found = append(found, all...)
		side.Decisions = append(side.Decisions, counting.Decided{Scenario: r.Scenario.Name, Result: all[0].result})
	}
	p.progress.step(side.Name+" bytes", takeTime)
	t, err := s.countCall(ctx, p.costs[i])
	if err != nil {
		return nil, err
	}
	side.Work = work(found...)
	addCall(&side.Work, t)
	return side, nil
}

// What the parts take, roughly.
const (
	scenarioTime = 100 * time.Millisecond
	countStart   = 5 * time.Second
	pathTime     = 4 * time.Second // two rounds of both sides, where the server's clock decides
)

// estimate is how long the comparison will probably take.
func (p *comparing) estimate() time.Duration {
	d := 2 * (takeTime + time.Duration(len(p.runs[0]))*scenarioTime)
	if p.WithoutInstructions {
		return d
	}
	return d + countStart + time.Duration(len(p.limits)*len(p.states()))*pathTime
}

func (p *comparing) states() []string {
	if p.States == nil {
		return counting.States()
	}
	return p.States
}
