package recommend

import (
	"context"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// underTheOther is what the models do, meant to keep the other contract: where nobody named one. Otherwise nil.
func (t *trial) underTheOther(ctx context.Context, replay Replay) (*trial, error) {
	if t.contractNamed() {
		return nil, nil
	}
	bucket := limit.ByBucket
	question := *t.Question
	question.Contract, question.Scripts = &bucket, false
	other := question.trial(t.draws)
	return other, other.play(ctx, replay)
}

// contractNamed reports whether anybody said how the limit is read: the command line, or a file whose limit counts.
func (t *trial) contractNamed() bool {
	if t.Contract != nil {
		return true
	}
	for _, s := range t.Scenarios {
		if t.Limit == nil && (s.NamesContract || s.Limit.Contract != limit.ByWindow) {
			return true
		}
	}
	return t.Limit != nil && t.Limit.Contract != limit.ByWindow
}

// otherContract is whom the other contract would choose; the costs are those that were counted under this one, since
// the decisions are the same.
func (t *trial) otherContract(other *trial) (*OtherContract, error) {
	if other == nil || len(other.entrants) == 0 {
		return nil, nil
	}
	for scenario, rows := range other.rows {
		for label, row := range rows {
			if known := t.rows[scenario][label]; known != nil {
				row.server = known.server
			}
		}
	}
	all, err := other.answered()
	if err != nil {
		return nil, err
	}
	o := &OtherContract{Contract: *other.Contract}
	if here := onThisTraffic(all); len(here) > 0 {
		o.OnThisTraffic = here[0].Algorithm
	}
	if anywhere := onAnyTraffic(all); len(anywhere) > 0 {
		o.OnAnyTraffic = anywhere[0].Algorithm
	}
	return o, nil
}

// document is the answer.
func (t *trial) document(other *trial) (*Document, error) {
	all, err := t.answered()
	if err != nil {
		return nil, err
	}
	doc := &Document{SchemaVersion: result.Recommendation.Version, Kind: result.Recommendation.Kind, Tool: t.Tool,
		Tolerance: t.Tolerance, Prefer: t.Prefer, Candidates: all, LeftOut: t.leftOut, Ties: ties(all),
		Notes: []string{}}
	here, anywhere := onThisTraffic(all), onAnyTraffic(all)
	doc.OnThisTraffic = answerOf(here, criteria(t.Prefer, here, false), rankHere)
	doc.OnAnyTraffic = answerOf(anywhere, criteria(t.Prefer, anywhere, true), rankAnywhere)
	doc.OnThisTraffic.Why = append(doc.OnThisTraffic.Why, notTheCheaper(here, all, excludedHere)...)
	doc.OnAnyTraffic.Why = append(doc.OnAnyTraffic.Why, notTheCheaper(anywhere, all, unpromised)...)
	if c := nearest(all); c != nil {
		doc.OnThisTraffic.Why = append(doc.OnThisTraffic.Why, c.nearestInWords())
	}
	doc.Finding = finding(here, anywhere)
	if doc.OtherContract, err = t.otherContract(other); err != nil {
		return nil, err
	}
	t.describe(doc)
	for i, s := range t.Scenarios {
		if doc.Traffic[i].ToldApart, err = t.toldApart(s, here); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func answerOf(list []*Candidate, by []criterion, rank func(*Candidate) int) Answer {
	return Answer{Algorithms: labelsOf(list), Why: firstOf(list, by, rank)}
}

// describe says of what the answer is.
func (t *trial) describe(doc *Document) {
	if t.Counted != nil {
		doc.Counted = &t.Counted.Source
	}
	if t.Costs != nil {
		doc.Costs = &t.Costs.Source
	}
	for _, s := range t.Scenarios {
		run := t.runs[s.Name]
		doc.Server = run.Server
		seeds := len(t.draws[s.Name].seeds)
		doc.Traffic = append(doc.Traffic,
			Traffic{Scenario: run.Scenario, Question: run.Question, Seed: run.Seed, Seeds: seeds,
				Needed: needed(seeds), Limit: run.Limit, DurationUS: run.DurationUS, Keys: run.Keys,
				Offered: offered(run), Reacts: s.Reactive(), Notes: append([]string{}, run.Notes...)})
	}
	if _, any := doc.reacts(); any {
		doc.Notes = append(doc.Notes, whileClientsReact)
	}
	said := map[limit.Contract]bool{}
	for _, traffic := range doc.Traffic {
		if c := traffic.Limit.Contract; !said[c] {
			said[c] = true
			doc.Notes = append(doc.Notes, exactByDefinition(c))
		}
	}
	if t.Choices == nil {
		doc.Notes = append(doc.Notes, "who asks for the time asks the server: by the client's clock it would take a "+
			"command less, and keep its promise as far as clients' clocks are right")
	}
	if t.untested() {
		doc.Notes = append(doc.Notes, "the exact limit rejects nothing of this traffic: it tests nobody's limit, and "+
			"the answer on this traffic says nothing but who is cheap")
	}
}

// offered is what a run's traffic asks for: requests, or, where clients react, what they want done.
func offered(run *report.Run) int64 {
	if run.Reference != nil {
		return run.Reference.Offered
	}
	for i := range run.Results {
		if c := run.Results[i].Clients; c != nil {
			return c.Operations
		}
	}
	return 0
}

// untested reports whether no scenario offers more than the exact limit admits, with any seed.
func (t *trial) untested() bool {
	for _, rows := range t.rows {
		for _, row := range rows {
			for _, e := range row.seeds {
				own := &e.row.Result // where clients react, each row is its own
				if e.run.Reference != nil {
					own = e.run.Reference
				}
				if own.Rejected > 0 {
					return false
				}
			}
		}
	}
	return true
}
