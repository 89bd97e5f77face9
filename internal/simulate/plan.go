package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/candidate"
	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
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
	candidates []*candidate.Candidate
	sequences  []sequence.Choice // rows beside the candidates
	// asWritten: limit, seed and clock are those of the file, so that its expectations apply.
	asWritten bool
}

// planner resolves a job's names, and collects what is wrong with them. Most mistakes are found again in each
// scenario, and told once.
type planner struct {
	job      *Job
	problems []error
	told     map[string]bool
}

// bad notes a problem.
func (p *planner) bad(err error) {
	if !p.told[err.Error()] {
		p.told[err.Error()] = true
		p.problems = append(p.problems, err)
	}
}

// plan resolves the job; the error, an *InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	p := &planner{job: j, told: map[string]bool{}}
	result := &plan{}
	for _, s := range j.Scenarios {
		result.runs = append(result.runs, p.scenario(s))
	}
	if len(j.Scripts) > 0 && j.Server == ModelServer {
		p.bad(errors.New("--redis model has no server to run a script on; leave out --script, or take --redis embedded"))
	}
	if j.Clock == RealClock {
		p.realClock(result.runs)
	}
	if len(p.problems) > 0 {
		return nil, &InputError{Err: errors.Join(p.problems...)}
	}
	return result, nil
}

// Check resolves every name of the job and runs nothing; its error is an *InputError.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}

func (p *planner) scenario(s *scenarios.Scenario) *planned {
	r := &planned{scenario: s, policy: s.Limit, seed: s.Seed}
	if p.job.Limit != nil {
		r.policy = *p.job.Limit
	}
	if p.job.Seed != nil {
		r.seed = *p.job.Seed
	}
	r.asWritten = p.job.Clock != RealClock && r.seed == s.Seed && samePolicy(r.policy, s.Limit)
	r.stream = s.Stream(r.seed)
	r.candidates = p.candidates(s, r.policy)
	r.sequences = p.sequences(s, r.candidates)
	return r
}

// rows is how many rows the scenario has: some candidates have two.
func (p *planned) rows() int {
	n := len(p.candidates) + len(p.sequences)
	for _, c := range p.candidates {
		if hasLocalFlag(p.scenario) && c.NewModel != nil {
			n++
		}
	}
	return n
}

func samePolicy(a, b limit.Policy) bool {
	return a.Requests == b.Requests && a.Window == b.Window && a.Capacity() == b.Capacity()
}

// realClock refuses what the wall clock cannot pace, and what nobody will sit through unless it was asked for.
func (p *planner) realClock(runs []*planned) {
	if p.job.Server == ModelServer || p.job.Server == redisserver.KindEmbedded {
		p.bad(fmt.Errorf("--clock real needs a real server; take --redis process, container or a URL instead of %s", p.job.Server))
	}
	if name := reactive(runs); name != "" {
		p.bad(fmt.Errorf("%s: clients that react, clocks and sequences are played in virtual time only; leave out --clock real", name))
	}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *planned) bool { return r.scenario.Reactive() })
	if p.job.LongReal {
		return
	}
	what := fmt.Sprintf("%d scenarios", len(runs))
	if len(runs) == 1 {
		what = runs[0].scenario.Name
	}
	const instead = "say --long-real if that is meant, or name shorter scenarios"
	var total time.Duration
	for _, r := range runs {
		d, known := r.stream.Duration()
		if !known {
			p.bad(fmt.Errorf("%s: --clock real would take as long as its trace, which is known only at its end; %s", r.scenario.Name, instead))
			return
		}
		total += d
	}
	if total > MaxReal {
		p.bad(fmt.Errorf("%s: --clock real would take %s, more than %s; %s",
			what, limit.FormatDuration(total.Round(time.Second)), limit.FormatDuration(MaxReal), instead))
	}
}

// reactive names the scenarios in which more happens than the phases say; it is empty where there are none.
func reactive(runs []*planned) string {
	var names []string
	for _, r := range runs {
		if r.scenario.Reactive() {
			names = append(names, r.scenario.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0]
	}
	return names[0] + " and others"
}

// warnings are what a reader must know about users' scripts on this kind of server.
func (p *plan) warnings(kind string) []string {
	if kind != redisserver.KindEmbedded {
		return nil
	}
	var all []string
	for _, c := range p.own() {
		for _, r := range script.Analyse(c.Program.Source).Embedded {
			all = append(all, fmt.Sprintf("%s:%d: %s; check with --redis process", c.File, r.Line, r.Text))
		}
	}
	return all
}

// own are the users' scripts of the plan, once each: those of the first scenario.
func (p *plan) own() []*candidate.Candidate {
	var own []*candidate.Candidate
	if len(p.runs) > 0 {
		for _, c := range p.runs[0].candidates {
			if c.File != "" {
				own = append(own, c)
			}
		}
	}
	return own
}
