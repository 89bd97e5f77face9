package bench

import (
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// control is the algorithm that is measured in every round: what the harness and the round trip cost.
const control = result.Control

// plan is the job with every name resolved: all that can still fail is the server.
type plan struct {
	*Job
	plays []*play
}

// play is a run.Plan of the part of a scenario that is played.
type play struct {
	run.Plan
	part    *load.Part
	whole   *traffic.Stream // all of the scenario
	virtual *result.Run     // what virtual time decides of the part; nil: not known yet
	rows    []*row          // what was measured, by limiter; the control is the first
}

// row is what all rounds found of one limiter in one scenario.
type row struct {
	result.Latency
	verdicts []limit.Verdict // of virtual time, on the same requests where clients do not react
}

// plan resolves the job; the error, a *replay.InputError, has everything that is wrong with it.
func (j *Job) plan() (*plan, error) {
	var wrong run.Problems
	checkServer(j.Server, &wrong)
	p := &plan{Job: j}
	for _, c := range j.Algorithms {
		checkOneGateway(c, &wrong)
	}
	for _, s := range j.Scenarios {
		p.plays = append(p.plays, j.play(s, &wrong))
	}
	return p, wrong.Err()
}

// checkOneGateway refuses a row of several gateways, each of which makes the calls that one makes.
func checkOneGateway(c algorithms.Choice, wrong *run.Problems) {
	if c.Gateways() > 0 {
		wrong.Bad(fmt.Errorf("%s: gateways that count each for itself are played by simulate; a call costs the same "+
			"on each of them: leave out nodes", c.Label))
	}
}

// play plans a scenario.
func (j *Job) play(s *scenario.Scenario, wrong *run.Problems) *play {
	if err := load.CheckScenario(s); err != nil {
		wrong.Bad(err)
	}
	played := *s
	played.Expect = nil // of the whole scenario
	r := &play{Plan: run.NewPlan(&played, j.Instead)}
	r.whole = r.Stream
	var err error
	if r.part, err = load.NewPart(r.whole, j.Wish); err != nil {
		wrong.Bad(fmt.Errorf("%s: %w", s.Name, err))
	} else {
		r.Stream = traffic.List(r.part.Requests, r.part.Until, true)
	}
	r.Enter(withControl(j.Algorithms, r.Policy), script.Files(j.Scripts), wrong)
	for _, e := range r.Limiters {
		r.rows = append(r.rows, &row{Latency: result.Latency{Scenario: s.Name, Algorithm: e.Label,
			Outcomes: result.NewOutcomes()}})
	}
	return r
}

// withControl is choices with the control as the first. Where they are nil, it is every algorithm, and under a window
// contract the gcra that keeps it.
func withControl(choices []algorithms.Choice, p limit.Policy) []algorithms.Choice {
	isControl := func(c algorithms.Choice) bool { return c.Label == control }
	all := algorithms.Defaults() // the control is the first
	if choices == nil {
		return append(all, run.Reduced(p)...)
	}
	return append(all[:1], slices.DeleteFunc(slices.Clone(choices), isControl)...)
}
