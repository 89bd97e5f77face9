package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// sideLabels are the labels of a comparison's two rows.
var sideLabels = [2]string{"base", "head"}

// Comparison holds two limiters' decisions on the same requests.
type Comparison struct {
	*Result             // a run for each traffic, with the rows base and head
	LeftOut []string    // scenarios in which neither side can be called, with the reason
	Parts   *result.Run // the first run with decisions that differ; nil: none
	// First is the first request of Parts that they decide differently; Model is base's decision, Server is head's. It
	// is nil if the decisions were the same when they were repeated.
	First *DifferenceError
}

// Compare lets both limiters decide the same requests at the same instants. These are the requests of the scenarios (by
// default all built-in ones without clients), and traffic.Edges at each of the limits in four variants: as it is, with
// clocks that step, with a limit that changes, and with a burst that changes. It returns the errors of Run.
func (a *Ask) Compare(ctx context.Context, engine Engine, base, head *limiter.Spec, limits []limit.Policy) (
	*Comparison, error) {
	plans, leftOut, err := a.Pair(base, head, limits)
	if err != nil {
		return nil, err
	}
	found, err := a.Play(ctx, plans, engine)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Result: found, LeftOut: leftOut}
	for i := range c.Document.Runs {
		if run := &c.Document.Runs[i]; len(run.Alike()) > 1 {
			c.Parts = run
			c.First, err = firstDifference(ctx, plans[i], engine)
			break
		}
	}
	return c, err
}

// Pair makes the plans of a comparison with the rows base and head. leftOut names the scenarios in which neither side
// can be called.
func (a *Ask) Pair(base, head *limiter.Spec, limits []limit.Policy) (plans []*Plan, leftOut []string, err error) {
	scenarios := slices.Clone(a.Scenarios)
	if a.Scenarios == nil {
		if scenarios, err = scenario.Builtin(); err != nil {
			return nil, nil, err
		}
		scenarios = slices.DeleteFunc(scenarios, func(s *scenario.Scenario) bool {
			return !s.Plain() || s.RequestsEnd()
		})
	}
	var generated []*Plan
	for _, l := range limits { // without phases, so that their traffic is generated
		twice, burstier := limiter.Changed(l), l
		burstier.Burst = 2 * l.Capacity()
		for _, of := range []struct {
			name  string
			steps bool
			turn  *limit.Policy
		}{{}, {name: ", clocks that step", steps: true}, {name: ", a limit that changes", turn: &twice},
			{name: ", a burst that changes", turn: &burstier}} {
			s := &scenario.Scenario{Name: fmt.Sprintf("generated at %v%s", l, of.name), Limit: l, Seed: 1,
				Start: scenario.DefaultStart}
			p := NewPlan(s, a.Instead)
			p.Stream, p.inTurn = traffic.Edges(s.Limit, p.Seed, of.steps), of.turn
			scenarios, generated = append(scenarios, s), append(generated, &p)
		}
	}
	var wrong Problems
	for i, s := range scenarios {
		p := NewPlan(s, a.Instead)
		if s.Phases == nil {
			p = *generated[i-len(scenarios)+len(generated)]
		}
		failed := p.enterSides(base, head)
		switch {
		case p.inTurn != nil && (len(p.Limiters) < 2 || !slices.ContainsFunc(p.Limiters, isChanging)):
			// the limit is passed to neither, and cannot be
		case s.RequestsEnd():
			wrong.Bad(fmt.Errorf("%s: compare has no requests that end; use simulate", s.Name))
		case !s.Plain():
			wrong.Bad(fmt.Errorf("%s: with clients that react, clocks or faults, both scripts would not get the same "+
				"requests; use simulate", s.Name))
		case len(p.Limiters) == 0 && (a.Scenarios == nil || s.Phases == nil): // the user did not name it
			leftOut = append(leftOut, fmt.Sprintf("%s is left out: %v", s.Name, failed[1]))
		default:
			for i, err := range failed {
				if err != nil {
					wrong.Bad(fmt.Errorf("--%s: %w", sideLabels[i], err))
				}
			}
			plans = append(plans, &p)
		}
	}
	if wrong.Err() == nil && len(plans) == 0 {
		wrong.Bad(fmt.Errorf("nothing to compare: %s", leftOut[0]))
	}
	return plans, leftOut, wrong.Err()
}

// enterSides makes the plan's two limiters, with keys of the same length. failed has the reason if one is missing. If a
// user's script calls TIME, TIME moves during a call for both sides. Then no model decides.
func (p *Plan) enterSides(base, head *limiter.Spec) (failed [2]error) {
	for i, side := range []*limiter.Spec{base, head} {
		var l *limiter.Limiter
		if p.Scenario.Phases == nil {
			l, failed[i] = side.At(p.Scenario.Limit)
		} else if p.several() {
			l, failed[i] = side.UnderAll(p.Limits, p.Scenario.Parameters)
		} else {
			l, failed[i] = side.Under(p.Scenario.Limit, p.Scenario.Parameters)
		}
		if failed[i] == nil && p.inTurn != nil {
			l, failed[i] = p.changing(side, l)
		}
		if failed[i] == nil {
			p.Limiters = append(p.Limiters, l.Labelled(sideLabels[i], sideLabels[i]+":"))
		}
	}
	asks := func(l *limiter.Limiter) bool { return l.Foreign() && l.Programs()[0].AsksTime() }
	if slices.ContainsFunc(p.Limiters, asks) {
		for _, l := range p.Limiters {
			for _, program := range l.Programs() {
				program.TimeMoves = true
			}
			l.NewModel = nil
		}
	}
	return failed
}

// firstDifference repeats the decisions until head's differs from base's. It returns nil if none differs.
func firstDifference(ctx context.Context, p *Plan, engine Engine) (*DifferenceError, error) {
	g := &game{Plan: p, engine: cmp.Or(engine, Engine(models{}))}
	err := g.open(ctx)
	if err == nil {
		head := g.rows[1].replayed()
		head.Decider = &confirming{Decider: g.rows[1].decider, model: g.rows[0].decider, alike: sameOutcome}
		_, err = replay.Run(ctx, p.Stream, p.Policy, []replay.Row{head}, replay.Options{})
	}
	err = g.engine.Clean(ctx, err)
	var first *DifferenceError
	if errors.As(err, &first) {
		return first, nil
	}
	return nil, err
}

func isChanging(l *limiter.Limiter) bool { return l.Program.Changes() }

// changing returns the limiter of a side, with the limit p.inTurn in every second period. It has no model.
func (p *Plan) changing(side *limiter.Spec, l *limiter.Limiter) (*limiter.Limiter, error) {
	other, err := side.At(*p.inTurn)
	if err != nil {
		return nil, err
	}
	period := max(1, 2*p.Scenario.Limit.WindowUS()/3)
	both := l.WithoutModel()
	both.Program = l.Program.Changing(other.Program, p.Scenario.Start.UnixMicro()+period, period)
	return both, nil
}
