package recommend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// Question is what is asked: which traffic, which candidates, what is tolerated.
type Question struct {
	Scenarios []*scenario.Scenario
	lineup.Instead
	Choices []algorithms.Choice // nil: every algorithm, with the variants that a person would try
	Scripts bool                // there are users' scripts, which Replay adds on a server
	Server  string              // that confirms what the models decide; Models for none
	Memory  bool                // Server knows what a key takes, and may be asked
	Seeds   int                 // how many are played of traffic with something random in it; at least 1
	Early   func(*Document)     // is shown what the models say, before Server confirms it; nil: nobody is
	Search  int64               // decisions of a model that the search for one's worst traffic may take; 0: no search

	Tolerance Tolerance
	Prefer    string
	Costs     *Costs // nil: not asked for
	Counted   *Counted
	Tool      result.Tool
}

// Models is the server spec with which the Go models decide.
const Models = "model"

// DefaultSeeds is how many are played unless somebody says otherwise.
const DefaultSeeds = 20

// Play is one job: scenarios, all of one limit, that candidates decide on a server.
type Play struct {
	Server    string
	Scenarios []*scenario.Scenario
	Choices   []algorithms.Choice
	Only      *lineup.OneKey // whose requests arrive; nil: all
	lineup.Instead
}

// Replay gives a row for each of the choices in each scenario, and for each of the users' scripts unless the models
// decide. It fails where it was interrupted.
type Replay func(context.Context, Play) (*report.Document, error)

var (
	// ErrNobody is what a field ends with that is empty: no algorithm can keep the limit.
	ErrNobody = errors.New("no candidate can keep this limit")
	// ErrName is the refusal of a script that has an algorithm's name.
	ErrName = errors.New("two candidates of one name")
)

// Answer lets the models decide first, with every seed, and searches for the worst traffic of those that promise to
// keep the tolerance. Then the Lua of those that are in an answer, and of the nearest others, decides on the
// server with the first seed. It is an error if the two decide differently.
func (q *Question) Answer(ctx context.Context, replay Replay) (*Document, error) {
	trial := q.trial(q.draws())
	if len(trial.entrants) == 0 && !q.Scripts {
		return nil, ErrNobody
	}
	if err := trial.play(ctx, replay); err != nil {
		return nil, err
	}
	other, err := trial.underTheOther(ctx, replay)
	if err != nil {
		return nil, err
	}
	if q.Server != Models {
		if err := trial.foretell(other); err != nil {
			return nil, err
		}
		if err := trial.confirm(ctx, replay, other); err != nil {
			return nil, err
		}
	}
	return trial.document(other)
}

// foretell shows what the models say, where they know every candidate.
func (t *trial) foretell(other *trial) error {
	if t.Early == nil || t.Scripts {
		return nil
	}
	doc, err := t.document(other)
	if err != nil {
		return err
	}
	t.Early(doc)
	return nil
}

// trial is the question while it is being answered.
type trial struct {
	*Question
	draws    map[string]draw // by scenario
	policies []limit.Policy
	groups   [][]*scenario.Scenario // by policy
	entrants []entrant
	leftOut  []LeftOut

	runs      map[string]*report.Run           // by scenario, with the first seed; the server's once it decided
	rows      map[string]map[string]*testimony // by scenario and the label there
	confirmed map[string]bool                  // labels of entrants
	scripts   []string                         // labels of users' scripts, in their order
	searched  map[string]int64                 // what was found in the worst case, by candidate and interval
}

func (q *Question) trial(draws map[string]draw) *trial {
	t := &trial{Question: q, draws: draws, leftOut: []LeftOut{}, runs: map[string]*report.Run{},
		rows: map[string]map[string]*testimony{}, confirmed: map[string]bool{}, searched: map[string]int64{}}
	for _, s := range q.Scenarios {
		t.rows[s.Name] = map[string]*testimony{}
		p := lineup.NewContest(s, q.Instead).Policy
		i := slices.IndexFunc(t.policies, func(o limit.Policy) bool {
			return o.Requests == p.Requests && o.Window == p.Window && o.Capacity() == p.Capacity() &&
				o.Contract == p.Contract
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
	t.entrants, t.leftOut = field(t.policies, q.Tolerance)
	return t
}

// choicesOf are what entrants are under the i-th policy, each once.
func choicesOf(entrants []entrant, i int) []algorithms.Choice {
	choices := []algorithms.Choice{}
	for _, e := range entrants {
		c := e.choices[i]
		if !slices.ContainsFunc(choices, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			choices = append(choices, c)
		}
	}
	return choices
}

// choiceIn is what an entrant is in a scenario.
func (t *trial) choiceIn(label, scenario string) (algorithms.Choice, bool) {
	for i, group := range t.groups {
		for _, s := range group {
			if s.Name != scenario {
				continue
			}
			for _, e := range t.entrants {
				if e.label == label {
					return e.choices[i], true
				}
			}
		}
	}
	return algorithms.Choice{}, false
}

// play lets the models of all entrants decide every scenario with every seed.
func (t *trial) play(ctx context.Context, replay Replay) error {
	if len(t.entrants) == 0 {
		return nil
	}
	for i, group := range t.groups {
		choices := choicesOf(t.entrants, i)
		for _, s := range group {
			choices := choices
			if y := yardstick(t.policies[i].Contract); s.Reactive() &&
				!slices.ContainsFunc(choices, func(c algorithms.Choice) bool { return c.Label == y.Label }) {
				choices = append(slices.Clone(choices), y)
			}
			for _, seed := range t.draws[s.Name].seeds {
				play := Play{Server: Models, Scenarios: []*scenario.Scenario{s}, Choices: choices, Instead: t.Instead}
				play.Seed = &seed
				doc, err := replay(ctx, play)
				if err != nil {
					return err
				}
				t.keep(&doc.Runs[0])
			}
		}
	}
	return nil
}

// keep takes over the rows of a run with the next seed.
func (t *trial) keep(run *report.Run) {
	if t.runs[run.Scenario] == nil {
		t.runs[run.Scenario] = run
	}
	for i := range run.Results {
		row := &run.Results[i]
		if row.LocalFlag != nil { // the clients' memory is no candidate
			continue
		}
		known := t.rows[run.Scenario][row.Algorithm]
		if known == nil {
			known = &testimony{}
			t.rows[run.Scenario][row.Algorithm] = known
		}
		known.seeds = append(known.seeds, evidence{run: run, row: row})
	}
}

// confirm lets those decide on the server, with the first seed, that are in an answer under either contract, and of
// each algorithm the nearest that does not keep the tolerance: what that takes says whether to keep it costs more.
func (t *trial) confirm(ctx context.Context, replay Replay, other *trial) error {
	list := t.toConfirm(other)
	for i, group := range t.groups {
		doc, err := replay(ctx, Play{Server: t.Server, Scenarios: group, Choices: choicesOf(list, i),
			Instead: t.Instead})
		if err != nil {
			return err
		}
		for k := range doc.Runs {
			if err := t.compare(&doc.Runs[k], choicesOf(list, i)); err != nil {
				return err
			}
		}
		if err := t.playScripts(ctx, replay, group); err != nil {
			return err
		}
		if err := t.measureMemory(ctx, replay, group, choicesOf(list, i)); err != nil {
			return err
		}
	}
	for _, e := range list {
		t.confirmed[e.label] = true
	}
	for _, label := range t.scripts {
		t.confirmed[label] = true
	}
	return nil
}

// toConfirm are the entrants that matter.
func (t *trial) toConfirm(other *trial) []entrant {
	matter, nearest := map[string]bool{}, map[string]*Candidate{}
	all := t.judge()
	for i := range all {
		c := &all[i]
		matter[c.Algorithm] = c.qualifies() || c.promises()
		name := algorithmOf(c.Algorithm)
		if near := nearest[name]; !c.qualifies() && (near == nil || c.distance() < near.distance()) {
			nearest[name] = c
		}
	}
	for _, c := range nearest {
		matter[c.Algorithm] = true
	}
	if other != nil {
		for _, c := range other.judge() {
			matter[c.Algorithm] = matter[c.Algorithm] || c.qualifies() || c.promises()
		}
	}
	var list []entrant
	for _, e := range t.entrants {
		if matter[e.label] {
			list = append(list, e)
		}
	}
	return list
}

// compare takes over a server's rows, which must decide as the models, and begins with those of users' scripts.
func (t *trial) compare(run *report.Run, choices []algorithms.Choice) error {
	t.runs[run.Scenario] = run
	for i := range run.Results {
		row := &run.Results[i]
		label := row.Algorithm
		if row.LocalFlag != nil {
			continue
		}
		if !slices.ContainsFunc(choices, func(c algorithms.Choice) bool { return c.Label == label }) {
			if slices.ContainsFunc(t.entrants, func(e entrant) bool { return e.label == label }) {
				return fmt.Errorf("%w: a script and an algorithm are both named %s; give the script another name in "+
					"its binding", ErrName, label)
			}
			if !slices.Contains(t.scripts, label) {
				t.scripts = append(t.scripts, label)
			}
			t.rows[run.Scenario][label] = &testimony{[]evidence{{run: run, row: row, own: true}}, row}
			continue
		}
		known := t.rows[run.Scenario][label]
		if model := known.seeds[0].row; model.DecisionsDigest != row.DecisionsDigest {
			return fmt.Errorf("%s, %s: the script on %s does not decide as its model: it admits %d requests and the "+
				"model %d (decisions_digest %.12s… and %.12s…); nothing can be recommended", run.Scenario, label,
				run.Server.String(), row.Admitted, model.Admitted, row.DecisionsDigest, model.DecisionsDigest)
		}
		known.server = row
	}
	return nil
}

// playScripts lets users' scripts, which have no model, decide on the server with the other seeds.
func (t *trial) playScripts(ctx context.Context, replay Replay, group []*scenario.Scenario) error {
	if len(t.scripts) == 0 {
		return nil
	}
	for _, s := range group {
		for _, seed := range t.draws[s.Name].seeds[1:] {
			play := Play{Server: t.Server, Scenarios: []*scenario.Scenario{s}, Choices: []algorithms.Choice{},
				Instead: t.Instead}
			play.Seed = &seed
			doc, err := replay(ctx, play)
			if err != nil {
				return err
			}
			run := &doc.Runs[0]
			for i := range run.Results {
				known := t.rows[s.Name][run.Results[i].Algorithm]
				known.seeds = append(known.seeds, evidence{run: run, row: &run.Results[i], own: true})
			}
		}
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
	var list []testimony
	for _, s := range t.Scenarios {
		list = append(list, t.testimonyOf(s, labelIn(s.Name)))
	}
	c := judge(label, list, t.Tolerance, t.Costs)
	if t.Counted != nil {
		c.Instructions = t.Counted.of(label)
	}
	c.Confirmed = t.confirmed[label]
	return c
}

// testimonyOf is what a label did in a scenario, beside the yardstick where clients react.
func (t *trial) testimonyOf(s *scenario.Scenario, label string) testimony {
	all := *t.rows[s.Name][label]
	exact := t.rows[s.Name][t.yardstickIn(s)]
	if !s.Reactive() || exact == nil {
		return all
	}
	all.seeds = slices.Clone(all.seeds)
	for i := range all.seeds {
		all.seeds[i].exact = exact.seeds[i].row
	}
	return all
}

// answered are the candidates in their order, once whoever promises to keep the tolerance was searched.
func (t *trial) answered() ([]Candidate, error) {
	all := t.judge()
	return all, t.search(all)
}
