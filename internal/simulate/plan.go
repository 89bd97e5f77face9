package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/scenario"
)

// plan is the job with every name resolved: all that can still fail is the server.
type plan struct{ runs []*contest }

// plan resolves the job; the error, an *InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	p := &planner{job: j}
	result := &plan{}
	for _, s := range j.Scenarios {
		result.runs = append(result.runs, p.scenario(s))
	}
	if len(j.Scripts) > 0 && j.Server == ModelServer {
		p.Bad(errors.New("--redis model has no server to run a script on; leave out --script, or take --redis " +
			"embedded"))
	}
	if j.Clock == RealClock {
		p.realClock(result.runs)
	}
	return result, p.Err()
}

// Check resolves every name of the job and runs nothing; its error is an *InputError.
func (j *Job) Check() error {
	_, err := j.plan()
	return err
}

func (p *planner) scenario(s *scenario.Scenario) *contest {
	r := &contest{Contest: lineup.NewContest(s, p.job.Instead)}
	r.asWritten = p.job.Clock != RealClock && r.AsWritten()
	r.stream = s.Stream(r.Seed)
	r.Enter(p.choices(s), p.job.Scripts, &p.Problems)
	p.checkExpected(s, r.Entries)
	p.checkObeyed(s, r.Entries)
	r.sequences = p.sequences(s, r.Entries)
	return r
}

// realClock refuses what the wall clock cannot pace, and what nobody will sit through unless it was asked for.
func (p *planner) realClock(runs []*contest) {
	if p.job.Server == ModelServer || p.job.Server == redisserver.KindEmbedded {
		p.Bad(fmt.Errorf("--clock real needs a real server; take --redis process, container or a URL instead of %s",
			p.job.Server))
	}
	if name := reactive(runs); name != "" {
		p.Bad(fmt.Errorf("%s: --clock real does not play clients that react, clocks and sequences; leave it out, "+
			"or take bench run", name))
	}
	for _, r := range runs {
		if r.Scenario.Faulty() {
			p.Bad(fmt.Errorf("%s: managed and server_outage are played in virtual time only; leave out --clock real",
				r.Scenario.Name))
		}
	}
	runs = slices.DeleteFunc(slices.Clone(runs),
		func(r *contest) bool { return !r.Scenario.Plain() })
	if p.job.LongReal {
		return
	}
	what := fmt.Sprintf("%d scenarios", len(runs))
	if len(runs) == 1 {
		what = runs[0].Scenario.Name
	}
	const instead = "say --long-real if that is meant, or name shorter scenarios"
	var total time.Duration
	for _, r := range runs {
		d, known := r.stream.Duration()
		if !known {
			p.Bad(fmt.Errorf("%s: --clock real would take as long as its trace, which is known only at its end; %s",
				r.Scenario.Name, instead))
			return
		}
		total += d
	}
	if total > MaxReal {
		p.Bad(fmt.Errorf("%s: --clock real would take %s, more than %s; %s",
			what, limit.FormatDuration(total.Round(time.Second)), limit.FormatDuration(MaxReal), instead))
	}
}

// reactive names the scenarios in which more happens than the phases say; it is empty where there are none.
func reactive(runs []*contest) string {
	var names []string
	for _, r := range runs {
		if r.Scenario.Reactive() {
			names = append(names, r.Scenario.Name)
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
		for _, r := range c.Program.Gaps() {
			all = append(all, fmt.Sprintf("%s:%d: %s; check with --redis process", c.File, r.Line, r.Text))
		}
	}
	return all
}

// own are the users' scripts of the plan, once each: those of the first scenario.
func (p *plan) own() []*lineup.Entry {
	var own []*lineup.Entry
	if len(p.runs) > 0 {
		for _, c := range p.runs[0].Entries {
			if c.File != "" {
				own = append(own, c)
			}
		}
	}
	return own
}
