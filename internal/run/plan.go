package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// Plan is one scenario under one limit, with its limiters.
type Plan struct {
	Scenario *scenario.Scenario
	Policy   limit.Policy
	Limits   []limit.Limit // several limits on each request, of which Policy is the first; nil: Policy is the limit
	Seed     uint64
	Limiters []*limiter.Limiter
	Stream   *traffic.Stream
	Sweeps   []*algorithms.Swept // see Ask.Sweeps

	Progress func(requests int64)                 // may be nil
	Watch    func(label string) (Observer, error) // see Ask.Watch

	// Brief omits fairness and the measures over intervals of several lengths. The models must be used by only one
	// goroutine.
	Brief bool
	// Sample makes the models decide a long log for all rows that have a model. The scripts confirm only a sample.
	Sample bool
	notes  []string      // why a script has no row
	inTurn *limit.Policy // the limit in every second period; nil: unchanged
}

// Instead overrides values of scenario files. A nil field overrides nothing.
type Instead struct {
	Limit    *limit.Policy
	Limits   []limit.Limit   // several limits on each request, instead of Limit
	Contract *limit.Contract // also for a limit from the scenario file
	Seed     *uint64
}

// NewPlan returns a plan without limiters. Limit and seed are the scenario's, unless instead overrides them.
func NewPlan(s *scenario.Scenario, instead Instead) Plan {
	p := Plan{Scenario: s, Policy: s.Limit, Limits: s.Limits, Seed: s.Seed}
	if instead.Limit != nil {
		p.Policy, p.Limits = *instead.Limit, nil
	}
	if instead.Limits != nil {
		p.Limits = instead.Limits
	}
	if p.Limits = slices.Clone(p.Limits); instead.Contract != nil && p.Policy.Contract != limit.ByFlight {
		p.Policy.Contract = *instead.Contract
		for i := range p.Limits {
			p.Limits[i].Contract = *instead.Contract
		}
	}
	if p.several() {
		p.Policy = p.Limits[0].Policy
	}
	if instead.Seed != nil {
		p.Seed = *instead.Seed
	}
	p.Stream = s.Stream(p.Seed)
	return p
}

// asWritten reports whether limit and seed come from the scenario file. Otherwise its expectations do not apply.
func (p *Plan) asWritten() bool {
	a, b := p.Policy, p.Scenario.Limit
	return p.Seed == p.Scenario.Seed && slices.Equal(p.Limits, p.Scenario.Limits) && a.Requests == b.Requests &&
		a.Window == b.Window && a.Capacity() == b.Capacity() && a.Contract == b.Contract
}

// endless reports whether the scenario's duration is unknown until the end of its trace.
func (p *Plan) endless() bool {
	return slices.ContainsFunc(p.Scenario.Phases,
		func(ph traffic.Phase) bool { return ph.Trace != nil && ph.Duration == 0 })
}

// Foreign returns the limiters that are users' scripts.
func (p *Plan) Foreign() []*limiter.Limiter {
	return slices.DeleteFunc(slices.Clone(p.Limiters), func(l *limiter.Limiter) bool { return !l.Foreign() })
}

// Enter makes the plan's limiters.
func (p *Plan) Enter(choices []algorithms.Choice, scripts []script.File, wrong *Problems) {
	// The scenario may set parameters of algorithms that have no row. Check them too.
	for _, name := range slices.Sorted(maps.Keys(p.Scenario.Parameters)) {
		choice, err := algorithms.Choose(name, nil)
		if err == nil {
			_, err = choice.WithDefaults(p.Scenario.Parameters[name])
		}
		if err != nil {
			wrong.Bad(fmt.Errorf("%s: parameters: %w", p.Scenario.Name, err))
		}
	}
	for _, choice := range choices {
		choice, err := choice.Seeded(p.Seed).WithDefaults(p.Scenario.Parameters[choice.Algorithm.Name])
		if err == nil { // otherwise the error was reported above
			of := func(c algorithms.Choice) (*limiter.Limiter, error) { return limiter.OfAlgorithm(c, p.Policy) }
			if p.several() {
				of = func(c algorithms.Choice) (*limiter.Limiter, error) { return limiter.OfLimits(c, p.Limits) }
			}
			if p.inFlight() {
				of = func(c algorithms.Choice) (*limiter.Limiter, error) { return limiter.OfSlots(c, p.Policy) }
			} else if p.settles() {
				of = func(c algorithms.Choice) (*limiter.Limiter, error) { return limiter.OfTokens(c, p.Policy) }
			}
			l, err := of(choice)
			p.add(l, err, wrong)
		}
	}
	for _, file := range scripts {
		of := func() (*limiter.Limiter, error) { return limiter.OfScript(file, p.Policy) }
		if p.several() {
			of = func() (*limiter.Limiter, error) { return limiter.OfScriptUnder(file, p.Limits) }
		}
		l, err := of()
		if err == nil {
			// An algorithm or another script may have the same label. They must not share keys.
			l = l.Labelled(l.Label, "own:"+l.Label+":")
		}
		p.add(l, err, wrong)
	}
}

// add adds a limiter. Its label must be unique.
func (p *Plan) add(l *limiter.Limiter, err error, wrong *Problems) {
	switch {
	case err != nil:
		wrong.Bad(err)
		return
	case !p.has(l.Label):
	case l.File != "":
		wrong.Bad(fmt.Errorf("%s: there would be two rows named %q; give the script another name in its binding",
			l.File, l.Label))
	default:
		wrong.Bad(fmt.Errorf("algorithm %q is named twice", l.Label))
	}
	p.Limiters = append(p.Limiters, l.Managed(p.Scenario.Managed, p.Scenario.Start))
}

// has reports whether a row of the plan has the label.
func (p *Plan) has(label string) bool {
	return slices.ContainsFunc(p.Limiters, func(l *limiter.Limiter) bool { return l.Label == label })
}

// Problems collects the mistakes in the input. A mistake that several scenarios repeat is reported once.
type Problems struct{ all []error }

// Bad adds a problem.
func (p *Problems) Bad(err error) {
	if !slices.ContainsFunc(p.all, func(known error) bool { return known.Error() == err.Error() }) {
		p.all = append(p.all, err)
	}
}

// Err returns a *replay.InputError with all problems, or nil without any.
func (p *Problems) Err() error {
	if len(p.all) == 0 {
		return nil
	}
	return &replay.InputError{Err: errors.Join(p.all...)}
}
