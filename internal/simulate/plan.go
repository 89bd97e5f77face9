package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
	"ratelab/scenarios"
)

// plan is the job with every name resolved: nothing about it can be wrong any more but the world.
type plan struct{ runs []*planned }

// planned is one scenario with its rows.
type planned struct {
	scenario   *scenarios.Scenario
	policy     limit.Policy
	seed       uint64
	stream     *traffic.Stream
	candidates []*candidate
	// asWritten: limit, seed and clock are those of the file, so that its expectations apply.
	asWritten bool
}

// plan resolves the job; the error, an *InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	p := &plan{}
	var problems []error
	for _, s := range j.Scenarios {
		planned, err := j.planScenario(s)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		p.runs = append(p.runs, planned)
	}
	if len(j.Scripts) > 0 && j.Server == ModelServer {
		problems = append(problems, errors.New("--redis model has no server to run a script on; leave out --script, or take --redis embedded"))
	}
	if j.Clock == RealClock && (j.Server == ModelServer || j.Server == redisserver.KindEmbedded) {
		problems = append(problems, fmt.Errorf("--clock real needs a real server; take --redis process, container or a URL instead of %s", j.Server))
	}
	if len(problems) > 0 {
		return nil, &InputError{errors.Join(unique(problems)...)}
	}
	return p, nil
}

// unique leaves out errors that say the same as one before: most are found once for each scenario.
func unique(problems []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(problems, func(err error) bool {
		again := seen[err.Error()]
		seen[err.Error()] = true
		return again
	})
}

func (j *Job) planScenario(s *scenarios.Scenario) (*planned, error) {
	p := &planned{scenario: s, policy: s.Limit, seed: s.Seed, asWritten: j.Clock != RealClock}
	if j.Limit != nil {
		p.policy = *j.Limit
		p.asWritten = false
	}
	if j.Seed != nil {
		p.asWritten = p.asWritten && *j.Seed == s.Seed
		p.seed = *j.Seed
	}
	p.stream = s.Stream(p.seed)
	if err := j.bearable(p); err != nil {
		return nil, err
	}
	expected, err := expectedChoices(s)
	if err != nil {
		return nil, err
	}
	choices := j.Algorithms
	if choices == nil {
		choices = everything(expected)
	}
	p.candidates, err = j.candidates(choices, s.Parameters, p.policy)
	return p, err
}

// bearable refuses to sit through a long scenario on the real clock, unless that was asked for.
func (j *Job) bearable(p *planned) error {
	if j.Clock != RealClock || j.LongReal {
		return nil
	}
	d, known := p.stream.Duration()
	if known && d <= MaxReal {
		return nil
	}
	length := "as long as its trace"
	if known {
		length = limit.FormatDuration(d.Round(time.Second))
	}
	return fmt.Errorf("%s: --clock real would take %s; say --long-real if more than %s are meant, or name a shorter scenario",
		p.scenario.Name, length, limit.FormatDuration(MaxReal))
}

// expectedChoices resolves the labels that a scenario expects something of, and the names that it sets parameters
// for.
func expectedChoices(s *scenarios.Scenario) ([]algorithms.Choice, error) {
	var choices []algorithms.Choice
	var problems []error
	for _, e := range s.Expect {
		c, err := algorithms.Parse(e.Algorithm)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d:%d: expect: %w", e.File, e.Line, e.Column, err))
			continue
		}
		choices = append(choices, c)
	}
	for _, name := range sortedNames(s.Parameters) {
		if _, err := algorithms.Choose(name, s.Parameters[name]); err != nil {
			problems = append(problems, fmt.Errorf("%s: parameters: %w", s.Name, err))
		}
	}
	return choices, errors.Join(problems...)
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
			if c.Spec.Name == spec.Name && !slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
				all = append(all, c)
			}
		}
	}
	return all
}

func sortedNames[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// warnings are what a reader must know about users' scripts on this kind of server.
func (p *plan) warnings(kind string) []string {
	var all []string
	for _, c := range p.own() {
		if kind != redisserver.KindEmbedded {
			continue
		}
		for _, r := range script.Analyse(c.program.Source).Embedded {
			all = append(all, fmt.Sprintf("%s:%d: %s; check with --redis process", c.file, r.Line, r.Text))
		}
	}
	return all
}

// own are the users' scripts of the plan, once each.
func (p *plan) own() []*candidate {
	if len(p.runs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.runs[0].candidates), func(c *candidate) bool { return c.file == "" })
}

// Check resolves every name of the job and runs nothing; its error is an *InputError.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}
