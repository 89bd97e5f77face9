package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// sideLabels are the labels of a comparison's two rows.
var sideLabels = [2]string{"base", "head"}

// Comparison is what two limiters decided of the same requests.
type Comparison struct {
	*Result             // a run for each traffic, with the rows base and head
	Parts   *result.Run // the first in which they decide otherwise; nil: none
	// First is the first request that they decide otherwise there, with what base decides as Model's and what head
	// decides as Server's. It is nil where they decided alike when they were asked again.
	First *DifferenceError
}

// Compare has both limiters decide the same requests at the same instants: those of the scenarios, or where none is
// named of all built-in ones without clients, and Edges at each of the limits. The errors are those of Run.
func (a *Ask) Compare(ctx context.Context, base, head *Side, limits []limit.Policy) (*Comparison, error) {
	plans, leftOut, err := a.Pair(base, head, limits)
	if err != nil {
		return nil, err
	}
	on, err := a.started(ctx, plans)
	if err != nil {
		return nil, err
	}
	defer on.Server.Close()
	found, err := on.play(ctx, plans)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Result: found}
	c.Warnings = append(c.Warnings, leftOut...)
	for i := range c.Document.Runs {
		if run := &c.Document.Runs[i]; len(run.Alike()) > 1 {
			c.Parts = run
			c.First, err = on.firstDifference(ctx, plans[i])
			break
		}
	}
	return c, err
}

// Pair makes the plans of a comparison, whose rows are base and head. What is left out, since neither side can be
// called there, is said.
func (a *Ask) Pair(base, head *Side, limits []limit.Policy) (plans []*Plan, leftOut []string, err error) {
	p := &pairing{resolver: resolver{Ask: a}, sides: [2]*Side{base, head}}
	err = p.pair(limits)
	return p.plans, p.leftOut, err
}

// pairing is the plans of a comparison on their way.
type pairing struct {
	resolver
	sides   [2]*Side
	plans   []*Plan
	leftOut []string // traffic that nobody named, under whose limit neither side can be called
}

// pair adds every traffic of the comparison.
func (p *pairing) pair(limits []limit.Policy) error {
	scenarios, named := p.Scenarios, p.Scenarios != nil
	if !named {
		builtin, err := scenario.Builtin()
		if err != nil {
			return err
		}
		scenarios = slices.DeleteFunc(builtin, func(s *scenario.Scenario) bool { return !s.Plain() })
	}
	for _, s := range scenarios {
		if !s.Plain() {
			p.Bad(fmt.Errorf("%s: with clients that react, clocks or faults the two sides would not meet the same "+
				"requests; leave it to simulate", s.Name))
			continue
		}
		plan := NewPlan(s, p.Instead)
		p.enter(&plan, named, func(side *Side) (*Limiter, error) { return side.In(s) })
	}
	for _, l := range limits {
		plan := NewPlan(&scenario.Scenario{Name: fmt.Sprintf("generated at %v", l), Limit: l, Seed: 1,
			Start: scenario.DefaultStart}, p.Instead)
		plan.Stream = traffic.Edges(l, plan.Seed)
		p.enter(&plan, false, func(side *Side) (*Limiter, error) { return side.Under(l) })
	}
	if p.Err() == nil && len(p.plans) == 0 {
		p.Bad(fmt.Errorf("nothing to compare: %s", p.leftOut[0]))
	}
	return p.Err()
}

// enter adds a traffic with both sides, whose keys are of the same length, unless it is left out.
func (p *pairing) enter(plan *Plan, named bool, limiter func(*Side) (*Limiter, error)) {
	var failed [2]error
	for i, side := range p.sides {
		var l *Limiter
		if l, failed[i] = limiter(side); failed[i] == nil {
			plan.Limiters = append(plan.Limiters, l.labelled(sideLabels[i], sideLabels[i]+":"))
		}
	}
	if len(plan.Limiters) == 0 && !named {
		p.leftOut = append(p.leftOut, fmt.Sprintf("%s is left out: %v", plan.Scenario.Name, failed[1]))
		return
	}
	for i, err := range failed {
		if err != nil {
			p.Bad(fmt.Errorf("--%s: %w", sideLabels[i], err))
		}
	}
	p.plans = append(p.plans, plan)
}

// firstDifference has the two rows decide once more, until head decides otherwise than base; nil: it never does.
func (a *Ask) firstDifference(ctx context.Context, p *Plan) (*DifferenceError, error) {
	rows, err := a.rows(ctx, p)
	if err != nil {
		return nil, err
	}
	head := rows[1].lane()
	head.Another = nil
	head.Decider = &confirming{Decider: rows[1].decider, model: rows[0].decider, alike: sameOutcome, stop: a.Stop}
	_, err = replay.Run(ctx, p.Stream, p.Policy, []replay.Lane{head}, replay.Options{})
	err = a.Server.Clean(ctx, err)
	var first *DifferenceError
	if errors.As(err, &first) {
		return first, nil
	}
	return nil, err
}
