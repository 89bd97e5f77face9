package recommend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// Question is what is asked: which traffic, which candidates, what is tolerated.
type Question struct {
	Scenarios []*scenario.Scenario
	Limit     *limit.Policy       // replaces each scenario's own
	Choices   []algorithms.Choice // nil: every algorithm, with the variants that a person would try
	Scripts   bool                // there are users' scripts, which Replay adds on a server
	Server    string              // that confirms what the models decide; Models for none

	Tolerance Tolerance
	Prefer    string
	Costs     *Costs // nil: not asked for
	Tool      result.Tool
}

// Models is the server spec with which the Go models decide.
const Models = "model"

// Replay lets candidates decide scenarios, all of one limit, on a server, and gives a row for each, and for each of the
// users' scripts unless the models decide. It fails where it was interrupted.
type Replay func(ctx context.Context, server string, list []*scenario.Scenario,
	choices []algorithms.Choice) (*report.Document, error)

var (
	// ErrNobody is what a field ends with that is empty: no algorithm can keep the limit.
	ErrNobody = errors.New("no candidate can keep this limit")
	// ErrName is the refusal of a script that has an algorithm's name.
	ErrName = errors.New("two candidates of one name")
)

// Answer lets the models decide first, and then the Lua of those that qualify, and of the nearest that does not, on the
// server. It is an error if the two decide differently.
func (q *Question) Answer(ctx context.Context, replay Replay) (*Document, error) {
	trial := q.trial()
	if len(trial.entrants) == 0 && !q.Scripts {
		return nil, ErrNobody
	}
	if err := trial.run(ctx, replay, Models, trial.entrants); err != nil {
		return nil, err
	}
	if q.Server != Models {
		first := trial.judge()
		if err := trial.confirm(ctx, replay, first); err != nil {
			return nil, err
		}
	}
	return trial.document(), nil
}

// trial is the question while it is being answered.
type trial struct {
	*Question
	policies []limit.Policy
	groups   [][]*scenario.Scenario // by policy
	entrants []entrant
	leftOut  []LeftOut

	runs      map[string]*report.Run         // by scenario, the last that decided it
	rows      map[string]map[string]evidence // by scenario and the label there
	confirmed map[string]bool                // labels of entrants
	scripts   []string                       // labels of users' scripts, in their order
}

func (q *Question) trial() *trial {
	t := &trial{Question: q, leftOut: []LeftOut{}, runs: map[string]*report.Run{},
		rows: map[string]map[string]evidence{}, confirmed: map[string]bool{}}
	for _, s := range q.Scenarios {
		p := s.Limit
		if q.Limit != nil {
			p = *q.Limit
		}
		i := slices.IndexFunc(t.policies, func(o limit.Policy) bool {
			return o.Requests == p.Requests && o.Window == p.Window && o.Capacity() == p.Capacity()
		})
		if i < 0 {
			i = len(t.policies)
			t.policies, t.groups = append(t.policies, p), append(t.groups, nil)
		}
		t.groups[i] = append(t.groups[i], s)
	}
	if q.Choices != nil {
		t.entrants = chosen(q.Choices, len(t.policies))
		return t
	}
	t.entrants, t.leftOut = field(t.policies)
	return t
}

// run lets the entrants decide every scenario, and keeps the rows.
func (t *trial) run(ctx context.Context, replay Replay, server string, entrants []entrant) error {
	for i, group := range t.groups {
		choices := []algorithms.Choice{}
		for _, e := range entrants {
			c := e.choices[i]
			if !slices.ContainsFunc(choices, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
				choices = append(choices, c)
			}
		}
		doc, err := replay(ctx, server, group, choices)
		if err != nil {
			return err
		}
		for k := range doc.Runs {
			if err := t.keep(&doc.Runs[k], choices); err != nil {
				return err
			}
		}
	}
	for _, e := range entrants {
		t.confirmed[e.label] = server != Models
	}
	return nil
}

// keep takes over a run's rows, which must decide as those before.
func (t *trial) keep(run *report.Run, choices []algorithms.Choice) error {
	if t.rows[run.Scenario] == nil {
		t.rows[run.Scenario] = map[string]evidence{}
	}
	t.runs[run.Scenario] = run
	for i := range run.Results {
		row := &run.Results[i]
		label := row.Algorithm
		own := !slices.ContainsFunc(choices, func(c algorithms.Choice) bool { return c.Label == label })
		if own && !slices.Contains(t.scripts, label) {
			t.scripts = append(t.scripts, label)
		}
		if own && slices.ContainsFunc(t.entrants, func(e entrant) bool { return e.label == label }) {
			return fmt.Errorf("%w: a script and an algorithm are both named %s; give the script another name in its "+
				"binding", ErrName, label)
		}
		before, known := t.rows[run.Scenario][label]
		if known && before.row.DecisionsSHA256 != row.DecisionsSHA256 {
			return fmt.Errorf("%s, %s: the script on %s does not decide as its model: it admits %d requests and the "+
				"model %d "+
				"(decisions_sha256 %.12s… and %.12s…); nothing can be recommended", run.Scenario, label,
				run.Server.String(),
				row.Admitted, before.row.Admitted, row.DecisionsSHA256, before.row.DecisionsSHA256)
		}
		t.rows[run.Scenario][label] = evidence{run, row, own}
	}
	return nil
}

// confirm lets those decide on the server that qualify, and the nearest that does not. The candidates are in their
// order.
func (t *trial) confirm(ctx context.Context, replay Replay, all []Candidate) error {
	var list []entrant
	nearest := true
	for _, c := range all {
		if !c.Qualifies && !nearest {
			break
		}
		nearest = c.Qualifies
		i := slices.IndexFunc(t.entrants, func(e entrant) bool { return e.label == c.Algorithm })
		list = append(list, t.entrants[i])
	}
	if err := t.run(ctx, replay, t.Server, list); err != nil {
		return err
	}
	for _, label := range t.scripts {
		t.confirmed[label] = true
	}
	return nil
}

// judge gives the candidates in their order.
func (t *trial) judge() []Candidate {
	var all []Candidate
	for _, e := range t.entrants {
		labels := map[string]string{}
		for i, group := range t.groups {
			for _, s := range group {
				labels[s.Name] = e.choices[i].Label
			}
		}
		all = append(all, t.candidate(e.label, func(scenario string) string { return labels[scenario] }))
	}
	for _, label := range t.scripts {
		all = append(all, t.candidate(label, func(string) string { return label }))
	}
	order(all, t.Prefer)
	return all
}

func (t *trial) candidate(label string, labelIn func(scenario string) string) Candidate {
	var list []evidence
	for _, s := range t.Scenarios {
		list = append(list, t.rows[s.Name][labelIn(s.Name)])
	}
	c := judge(label, list, t.Tolerance, t.Costs)
	c.Confirmed = t.confirmed[label]
	return c
}

// untested reports whether no scenario offers more than the exact limit admits.
func (t *trial) untested() bool {
	for _, run := range t.runs {
		if run.Reference.Rejected > 0 {
			return false
		}
	}
	return true
}

// document is the answer.
func (t *trial) document() *Document {
	all := t.judge()
	doc := &Document{SchemaVersion: result.Recommendation.Version, Kind: result.Recommendation.Kind, Tool: t.Tool,
		Tolerance: t.Tolerance, Prefer: t.Prefer,
		Candidates: all, LeftOut: t.leftOut, Ties: ties(all), Why: why(all, t.Prefer, len(t.Scenarios) > 1)}
	if t.untested() {
		doc.Why = append(doc.Why, "the exact limit rejects nothing of this traffic: it tests nobody's limit, and a "+
			"recommendation needs traffic that does")
	}
	if t.Costs != nil {
		doc.Costs = &t.Costs.Source
	}
	if len(all) > 0 && all[0].Qualifies {
		doc.Recommended = all[0].Algorithm
	}
	for _, s := range t.Scenarios {
		run := t.runs[s.Name]
		doc.Server = run.Server
		doc.Traffic = append(doc.Traffic,
			Traffic{Scenario: run.Scenario, Question: run.Question, Seed: run.Seed, Limit: run.Limit,
				DurationUS: run.DurationUS, Keys: run.Keys, Offered: run.Reference.Offered, Notes: append([]string{},
					run.Notes...)})
	}
	return doc
}
