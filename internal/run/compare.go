package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// sideLabels are the labels of a comparison's two rows.
var sideLabels = [2]string{"base", "head"}

// Comparison holds two limiters' decisions on the same requests.
type Comparison struct {
	*Result             // a run for each traffic, with the rows base and head
	LeftOut []string    // scenarios in which neither side can be called, and why
	Parts   *result.Run // the first run whose decisions differ; nil: none
	// First is the first request of Parts that they decide differently; Model is base's decision, Server is head's. It
	// is nil if the decisions were the same when they were repeated.
	First *DifferenceError
}

// Compare has both limiters decide the same requests at the same instants: those of the scenarios (by default all
// built-in ones without clients), and traffic.Edges at each of the limits. The errors are those of Run.
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
	c := &Comparison{Result: found, LeftOut: leftOut}
	for i := range c.Document.Runs {
		if run := &c.Document.Runs[i]; len(run.Alike()) > 1 {
			c.Parts = run
			c.First, err = on.firstDifference(ctx, plans[i])
			break
		}
	}
	return c, err
}

// Pair makes the plans of a comparison, whose rows are base and head. leftOut names the scenarios in which neither
// side can be called.
func (a *Ask) Pair(base, head *Side, limits []limit.Policy) (plans []*Plan, leftOut []string, err error) {
	scenarios := slices.Clone(a.Scenarios)
	if a.Scenarios == nil {
		if scenarios, err = scenario.Builtin(); err != nil {
			return nil, nil, err
		}
		scenarios = slices.DeleteFunc(scenarios, func(s *scenario.Scenario) bool { return !s.Plain() })
	}
	var changing []*scenario.Scenario
	for _, l := range limits { // without phases: their traffic is generated
		s := scenario.Scenario{Name: fmt.Sprintf("generated at %v", l), Limit: l, Seed: 1, Start: scenario.DefaultStart}
		other := s
		other.Name += ", which changes"
		scenarios, changing = append(scenarios, &s, &other), append(changing, &other)
	}
	var wrong Problems
	for _, s := range scenarios {
		p := NewPlan(s, a.Instead)
		p.changes = slices.Contains(changing, s)
		if s.Phases == nil {
			p.Stream = traffic.Edges(s.Limit, p.Seed)
		}
		failed := p.enterSides(base, head)
		switch {
		case p.changes && !slices.ContainsFunc(p.Limiters, func(l *Limiter) bool { return l.Program.Changes() }):
			// neither is told the limit, or can be
		case !s.Plain():
			wrong.Bad(fmt.Errorf("%s: with clients that react, clocks or faults both sides would not get the same "+
				"requests; leave it to simulate", s.Name))
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

// Changed is the limit that the generated traffic of a comparison has in turn with another: twice the requests, so that
// each change leaves keys at which something is used.
func Changed(p limit.Policy) limit.Policy {
	p.Requests *= 2
	if p.Burst > 0 {
		p.Burst *= 2
	}
	return p
}

// enterSides makes the plan's two limiters, whose keys have the same length. failed says why one is missing. Where TIME
// moves for a user's script, it moves for both, and no model decides.
func (p *Plan) enterSides(base, head *Side) (failed [2]error) {
	for i, side := range []*Side{base, head} {
		var l *Limiter
		if l, failed[i] = side.In(p.Scenario); failed[i] == nil && p.changes {
			l, failed[i] = side.changing(l, p.Scenario)
		}
		if failed[i] == nil {
			p.Limiters = append(p.Limiters, l.labelled(sideLabels[i], sideLabels[i]+":"))
		}
	}
	if slices.ContainsFunc(p.Limiters, func(l *Limiter) bool { return l.Program.Foreign && l.Program.AsksTime() }) {
		for _, l := range p.Limiters {
			l.Program.TimeMoves, l.NewModel = true, nil
		}
	}
	return failed
}

// firstDifference repeats the decisions until head's differs from base's. It is nil if none does.
func (a *Ask) firstDifference(ctx context.Context, p *Plan) (*DifferenceError, error) {
	rows, err := a.rows(ctx, p)
	if err != nil {
		return nil, err
	}
	head := rows[1].replayed()
	head.Decider = &confirming{Decider: rows[1].decider, model: rows[0].decider, alike: sameOutcome, stop: a.Stop}
	_, err = replay.Run(ctx, p.Stream, p.Policy, []replay.Row{head}, replay.Options{})
	err = a.Server.Clean(ctx, err)
	var first *DifferenceError
	if errors.As(err, &first) {
		return first, nil
	}
	return nil, err
}

// Side is a script or a built-in algorithm in a comparison, under any limit.
type Side struct {
	Name   string             // as the user wrote it
	Choice *algorithms.Choice // the algorithm as which it is called; nil: the binding says how

	file   *script.File // nil: the algorithm's own
	source string       // of a script that is called as an algorithm
}

// IsScript reports whether a name is that of a Lua file.
func IsScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".lua") }

// IsAlgorithm reports whether a label is that of a built-in algorithm, with any parameters.
func IsAlgorithm(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return slices.Contains(algorithms.Names(), name)
}

// NewSide makes a side of a built-in algorithm or a Lua file. A file is called as its binding FILE.yaml says, as the
// algorithm with the label as, or by default as the algorithm that has the file's name.
func NewSide(f script.File, as string) (*Side, error) {
	s := &Side{Name: f.Name}
	if IsScript(f.Name) {
		s.file = &f
		stem := strings.TrimSuffix(f.Name, filepath.Ext(f.Name))
		_, err := f.Read(stem + ".yaml")
		if as == "" && errors.Is(err, fs.ErrNotExist) && IsAlgorithm(filepath.Base(stem)) {
			as = filepath.Base(stem)
		}
		if as == "" {
			return s, nil
		}
		if s.source, err = f.Source(); err != nil {
			return nil, err
		}
	} else {
		as = f.Name
	}
	choice, err := algorithms.Parse(as)
	if err != nil && s.file != nil {
		err = fmt.Errorf("%s: %w", message.Path(f.Name), err)
	}
	s.Choice = &choice
	return s, err
}

// Under makes the side's limiter for a limit, with default parameters.
func (s *Side) Under(p limit.Policy) (*Limiter, error) { return s.In(&scenario.Scenario{Limit: p}) }

// In makes the side's limiter for a scenario: with its limit and its parameters. A scenario without phases is only a
// limit, which replaces the side's own.
func (s *Side) In(at *scenario.Scenario) (*Limiter, error) {
	if s.Choice == nil {
		return bound(*s.file, at.Limit)
	}
	choice := *s.Choice
	if at.Phases == nil {
		choice = choice.AtTheLimit()
	}
	choice, err := choice.WithDefaults(at.Parameters[choice.Algorithm.Name])
	if err != nil {
		return nil, err
	}
	return s.asAlgorithm(choice, at.Limit)
}

// asAlgorithm makes a limiter that is called as a built-in algorithm. It has a model only with that algorithm's source.
func (s *Side) asAlgorithm(choice algorithms.Choice, p limit.Policy) (*Limiter, error) {
	l, err := Builtin(choice, p)
	if err == nil && s.file != nil {
		program := l.Program
		if program.Init != nil {
			program.InitSource = s.source
		}
		program.Source, program.Foreign = s.source, true
		l.File, l.NewModel, l.MostAdmitted, l.MostDeparting = s.Name, nil, nil, nil
	}
	return l, err
}

// changing is a limiter of the side whose limit is another one in every second period. It has no model.
func (s *Side) changing(l *Limiter, at *scenario.Scenario) (*Limiter, error) {
	then := *at
	then.Limit = Changed(at.Limit)
	other, err := s.In(&then)
	if err != nil {
		return nil, err
	}
	period := max(1, 2*at.Limit.WindowUS()/3)
	both := *l
	both.Program = l.Program.Changing(other.Program, at.Start.UnixMicro()+period, period)
	both.NewModel, both.MostAdmitted, both.MostDeparting = nil, nil, nil
	return &both, nil
}
