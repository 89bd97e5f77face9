package lineup

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

// Contest is a scenario under one limit and seed, and who meets it.
type Contest struct {
	Scenario *scenario.Scenario
	Policy   limit.Policy
	Seed     uint64
	Entries  []*Entry
}

// Instead is what replaces what scenarios' files say; nil replaces nothing.
type Instead struct {
	Limit    *limit.Policy
	Contract *limit.Contract // how the limit is read, whoever states it
	Seed     *uint64
}

// NewContest is a scenario with the limit and the seed of its file, or with those that replace them. It has no entries
// yet.
func NewContest(s *scenario.Scenario, instead Instead) Contest {
	c := Contest{Scenario: s, Policy: s.Limit, Seed: s.Seed}
	if instead.Limit != nil {
		c.Policy = *instead.Limit
	}
	if instead.Contract != nil {
		c.Policy.Contract = *instead.Contract
	}
	if instead.Seed != nil {
		c.Seed = *instead.Seed
	}
	return c
}

// LongestAlignment is the longest window for whose phase a play on the wall clock waits.
const LongestAlignment = time.Minute

// UntilPhase is how long after t the wall clock is as far into a window as the scenario's clock at its beginning, so
// that a play which begins then finds aligned windows where virtual time has them.
func (c *Contest) UntilPhase(t time.Time, window time.Duration) time.Duration {
	w := window.Microseconds()
	return time.Duration(((c.Scenario.Start.UnixMicro()-t.UnixMicro())%w+w)%w) * time.Microsecond
}

// AsWritten reports whether limit and seed are those of the scenario's file, so that what it expects applies.
func (c *Contest) AsWritten() bool {
	a, b := c.Policy, c.Scenario.Limit
	return c.Seed == c.Scenario.Seed && a.Requests == b.Requests && a.Window == b.Window &&
		a.Capacity() == b.Capacity() && a.Contract == b.Contract
}

// Enter makes the contest's entries.
func (c *Contest) Enter(choices []algorithms.Choice, scripts []string, wrong *Problems) {
	// also of algorithms that are not among the rows
	for _, name := range slices.Sorted(maps.Keys(c.Scenario.Parameters)) {
		choice, err := algorithms.Choose(name, nil)
		if err == nil {
			_, err = choice.WithDefaults(c.Scenario.Parameters[name])
		}
		if err != nil {
			wrong.Bad(fmt.Errorf("%s: parameters: %w", c.Scenario.Name, err))
		}
	}
	var seeded []algorithms.Choice
	for _, choice := range choices {
		seeded = append(seeded, choice.Seeded(c.Seed))
	}
	c.Entries = Entries(seeded, scripts, c.Policy, c.Scenario.Parameters, wrong)
	for _, e := range c.Entries {
		e.manage(c.Scenario.Managed, c.Scenario.Start)
	}
}

// Entries are the rows under one limit, in their order: the algorithms, then the users' scripts. parameters are a
// scenario's, by algorithm; Enter says what is wrong with them.
func Entries(choices []algorithms.Choice, scripts []string, policy limit.Policy,
	parameters map[string]map[string]string, wrong *Problems) []*Entry {
	var all []*Entry
	for _, choice := range choices {
		choice, err := choice.WithDefaults(parameters[choice.Spec.Name])
		if err != nil {
			continue
		}
		e, err := Builtin(choice, policy)
		if err != nil {
			wrong.Bad(fmt.Errorf("%w (under the limit %v)", err, policy))
			continue
		}
		all = append(all, e)
	}
	for _, file := range scripts {
		e, err := Own(file, policy)
		if err != nil {
			wrong.Bad(err)
			continue
		}
		all = append(all, e)
	}
	checkLabels(all, wrong)
	return all
}

// checkLabels refuses two rows of one name.
func checkLabels(all []*Entry, wrong *Problems) {
	seen := map[string]bool{}
	for _, e := range all {
		switch {
		case !seen[e.Label]:
		case e.File != "":
			wrong.Bad(fmt.Errorf("%s: there would be two rows named %q; give the script another name in its binding",
				e.File, e.Label))
		default:
			wrong.Bad(fmt.Errorf("algorithm %q is named twice", e.Label))
		}
		seen[e.Label] = true
	}
}

// Labelled reports whether one of the entries has that label.
func Labelled(all []*Entry, label string) bool {
	return slices.ContainsFunc(all, func(e *Entry) bool { return e.Label == label })
}

// Problems collects what is wrong with an input. Most mistakes are found again in each scenario, and told once.
type Problems struct {
	all  []error
	seen map[string]bool
}

// Bad notes a problem.
func (p *Problems) Bad(err error) {
	if p.seen[err.Error()] {
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[err.Error()] = true
	p.all = append(p.all, err)
}

// Err is nil, or an *InputError with all that was noted.
func (p *Problems) Err() error {
	if len(p.all) == 0 {
		return nil
	}
	return &InputError{Err: errors.Join(p.all...)}
}

// Blamed is err, as an *InputError where a trace is to blame.
func Blamed(err error) error {
	var traffic *replay.TrafficError
	if errors.As(err, &traffic) {
		return &InputError{Err: err}
	}
	return err
}
