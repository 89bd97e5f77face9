package bench

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/internal/recording"
	"ratelab/scenarios"
)

// control is the algorithm that is measured in every round: what the harness and the round trip cost.
const control = recording.Control

// costLimit is the limit of the closed loop: too long for a key's permits to come back while it is measured.
var costLimit = limit.Policy{Requests: 100, Window: time.Hour}

// fillLimit is the limit of the memory fills, none of which it rejects.
var fillLimit = limit.Policy{Requests: 10_000, Window: time.Hour}

// plan is the job with every name resolved: nothing about it can be wrong any more but the world.
type plan struct {
	*Job
	runs  []*planned
	costs []*candidate.Candidate // under costLimit; the control first, and so in every list of candidates
	fills []*candidate.Candidate // under fillLimit
}

// planned is one scenario with its rows.
type planned struct {
	scenario   *scenarios.Scenario
	policy     limit.Policy
	seed       uint64
	traffic    *played
	candidates []*candidate.Candidate
}

// problems collects what is wrong with an input. Most mistakes are found again in each scenario, and told once.
type problems struct{ all []error }

func (p *problems) bad(err error) {
	same := func(other error) bool { return other.Error() == err.Error() }
	if !slices.ContainsFunc(p.all, same) {
		p.all = append(p.all, err)
	}
}

// err is nil, or an *InputError with all that was noted.
func (p *problems) err() error {
	if len(p.all) == 0 {
		return nil
	}
	return &InputError{Err: errors.Join(p.all...)}
}

// plan resolves the job; the error, an *InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	j = j.withDefaults()
	var wrong problems
	j.checkNumbers(&wrong)
	checkServer(j.Server, &wrong)
	p := &plan{Job: j}
	choices := withControl(j.Algorithms)
	for _, s := range j.Scenarios {
		p.runs = append(p.runs, j.scenario(s, choices, &wrong))
	}
	p.costs = candidates(choices, j.Scripts, costLimit, nil, &wrong)
	p.fills = candidates(choices, j.Scripts, fillLimit, nil, &wrong)
	return p, wrong.err()
}

func (j *Job) scenario(s *scenarios.Scenario, choices []algorithms.Choice, wrong *problems) *planned {
	checkPlain(s, wrong)
	r := &planned{scenario: s, policy: s.Limit, seed: s.Seed}
	if j.Limit != nil {
		r.policy = *j.Limit
	}
	if j.Seed != nil {
		r.seed = *j.Seed
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		if _, err := algorithms.Choose(name, s.Parameters[name]); err != nil {
			wrong.bad(fmt.Errorf("%s: parameters: %w", s.Name, err))
		}
	}
	r.traffic = &played{stream: s.Stream(r.seed), most: j.Duration}
	r.candidates = candidates(choices, j.Scripts, r.policy, s.Parameters, wrong)
	return r
}

// checkPlain refuses a scenario in which more happens than its phases say: what arrives would depend on what is decided.
func checkPlain(s *scenarios.Scenario, wrong *problems) {
	if s.Reactive() {
		wrong.bad(fmt.Errorf("%s: clients that react, clocks and sequences are played in virtual time only; leave it to simulate, or leave those fields out", s.Name))
	}
}

// withControl is choices, or every algorithm where it is nil, with the control as the first.
func withControl(choices []algorithms.Choice) []algorithms.Choice {
	isControl := func(c algorithms.Choice) bool { return c.Label == control }
	all := []algorithms.Choice{builtin(control)}
	if choices == nil {
		for _, name := range algorithms.Names() {
			choices = append(choices, builtin(name))
		}
	}
	return append(all, slices.DeleteFunc(slices.Clone(choices), isControl)...)
}

// builtin is the algorithm of that name with its defaults.
func builtin(name string) algorithms.Choice {
	c, err := algorithms.Parse(name)
	if err != nil {
		panic(err) // the name comes from the registry
	}
	return c
}

// candidates are the rows under one limit, in their order: the algorithms, then the users' scripts. parameters are a
// scenario's, by algorithm.
func candidates(choices []algorithms.Choice, scripts []string, policy limit.Policy, parameters map[string]map[string]string, wrong *problems) []*candidate.Candidate {
	var all []*candidate.Candidate
	for _, choice := range choices {
		choice, err := choice.WithDefaults(parameters[choice.Spec.Name])
		if err != nil {
			continue // as whoever reads the scenario's parameters has said
		}
		c, err := candidate.Builtin(choice, policy)
		if err != nil {
			wrong.bad(fmt.Errorf("%w (under the limit %v)", err, policy))
			continue
		}
		all = append(all, c)
	}
	for _, file := range scripts {
		c, err := candidate.Own(file, policy)
		if err != nil {
			wrong.bad(err)
			continue
		}
		all = append(all, c)
	}
	checkLabels(all, wrong)
	return all
}

// checkLabels refuses two rows of one name.
func checkLabels(all []*candidate.Candidate, wrong *problems) {
	seen := map[string]bool{}
	for _, c := range all {
		switch {
		case !seen[c.Label]:
		case c.File != "":
			wrong.bad(fmt.Errorf("%s: there would be two rows named %q; give the script another name in its binding", c.File, c.Label))
		default:
			wrong.bad(fmt.Errorf("algorithm %q is named twice", c.Label))
		}
		seen[c.Label] = true
	}
}
