package simulate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/scenarios"
)

// candidates are the rows of one scenario, in their order: the algorithms, then the users' scripts.
func (p *planner) candidates(s *scenarios.Scenario, policy limit.Policy) []*candidate.Candidate {
	scripts := p.scripts(policy)
	expected := p.expected(s, scripts)
	p.checkParameters(s)
	choices := p.job.Algorithms
	switch {
	case p.job.Expected:
		choices = expected
	case choices == nil:
		choices = everything(expected)
	}
	var all []*candidate.Candidate
	for _, choice := range choices {
		choice, err := choice.WithDefaults(s.Parameters[choice.Spec.Name])
		if err != nil {
			continue // as checkParameters has said
		}
		c, err := candidate.Builtin(choice, policy)
		if err != nil {
			p.bad(err)
			continue
		}
		all = append(all, c)
	}
	for _, c := range scripts {
		if labelled(all, c.Label) {
			p.bad(fmt.Errorf("%s: there would be two rows named %q; give the script another name in its binding", c.File, c.Label))
		}
		all = append(all, c)
	}
	return all
}

func labelled(all []*candidate.Candidate, label string) bool {
	return slices.ContainsFunc(all, func(c *candidate.Candidate) bool { return c.Label == label })
}

// scripts are the users' own.
func (p *planner) scripts(policy limit.Policy) []*candidate.Candidate {
	var all []*candidate.Candidate
	for _, file := range p.job.Scripts {
		c, err := candidate.Own(file, policy)
		if err != nil {
			p.bad(err)
			continue
		}
		all = append(all, c)
	}
	return all
}

// expected are the algorithms that a scenario expects something of. It may also expect something of the scripts.
func (p *planner) expected(s *scenarios.Scenario, scripts []*candidate.Candidate) []algorithms.Choice {
	var choices []algorithms.Choice
	for _, e := range s.Expect {
		base, flagged := strings.CutSuffix(e.Algorithm, scenarios.LocalFlagSuffix)
		c, err := algorithms.Parse(base)
		switch {
		case flagged && !hasLocalFlag(s):
			p.bad(fmt.Errorf("%s:%d:%d: expect: %q: the scenario has no clients with local_flag: true", e.File, e.Line, e.Column, e.Algorithm))
		case err == nil:
			choices = append(choices, c)
		case !namesSequence(s, e.Algorithm) && !labelled(scripts, e.Algorithm):
			p.bad(fmt.Errorf("%s:%d:%d: expect: %w", e.File, e.Line, e.Column, err))
		}
	}
	return choices
}

// checkParameters looks at what the scenario sets, also for algorithms that are not among the rows.
func (p *planner) checkParameters(s *scenarios.Scenario) {
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		if _, err := algorithms.Choose(name, s.Parameters[name]); err != nil {
			p.bad(fmt.Errorf("%s: parameters: %w", s.Name, err))
		}
	}
}

// everything is all algorithms with their defaults, each followed by the variants that a scenario expects.
func everything(expected []algorithms.Choice) []algorithms.Choice {
	var all []algorithms.Choice
	for _, spec := range algorithms.All() {
		plain, err := algorithms.Parse(spec.Name)
		if err != nil {
			panic(err) // the name comes from the registry
		}
		all = append(all, plain)
		for _, c := range expected {
			known := slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label })
			if c.Spec.Name == spec.Name && !known {
				all = append(all, c)
			}
		}
	}
	return all
}
