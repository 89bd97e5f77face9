// Package recommend recommends a limiter. It considers only limiters that guarantee the contract for any traffic. It
// ranks them by what they lose on the given traffic, by the bytes of a key, and by the work of a decision. The Go
// models decide the requests. Bytes and work come from the table of costs.
package recommend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// ErrNobody is the error for a limit that no candidate can keep.
var ErrNobody = errors.New("no limiter can guarantee this limit")

// ErrLimits is the error for scenarios with several limits.
var ErrLimits = errors.New("the scenarios have different limits")

// Question is the input of recommend: the limit, the contract and the traffic.
type Question struct {
	Scenarios []*scenario.Scenario // empty: the standard set
	run.Instead
	Log  bool  // the only scenario is a recorded log
	Keys int64 // of the log, if known
	// Otherwise is the log with the other reading of its whole seconds; nil if there is none
	Otherwise *scenario.Scenario

	Progress func(requests int64)
}

// Answer plays the traffic and applies the rule, under the contract that the user named or under both.
func (q *Question) Answer(ctx context.Context) (*result.Document, error) {
	policies, err := q.policies()
	if err != nil {
		return nil, err
	}
	doc := result.New(result.OfRecommend, "")
	doc.Traffic = &result.Traffic{Standard: len(q.Scenarios) == 0, Recorded: q.Log}
	for _, p := range policies {
		usually, err := q.usually(ctx, p)
		if err != nil {
			return nil, err
		}
		field, err := q.play(ctx, p, q.Scenarios)
		if err != nil {
			return nil, err
		}
		field.usually = usually
		doc.Traffic.Names, doc.Traffic.Requests, doc.Traffic.Keys = field.names, field.requests, field.keys
		if len(q.Scenarios) == 1 {
			doc.Traffic.StartUS, doc.Traffic.DurationUS = field.firstUS, field.lastUS-field.firstUS
		}
		answer, err := field.answer()
		if err != nil {
			return nil, err
		}
		if most := atOnce(p); field.largestCost > most && doc.Notes == nil {
			doc.Notes = append(doc.Notes, fmt.Sprintf("A request costs up to %d. Every limiter rejects a request of "+
				"more than %d.", field.largestCost, most))
		}
		if q.Otherwise != nil {
			other, err := q.play(ctx, p, []*scenario.Scenario{q.Otherwise})
			if err != nil {
				return nil, err
			}
			other.usually = usually
			note, err := compare(answer, other)
			if err != nil {
				return nil, err
			}
			doc.Notes = append(doc.Notes, note...)
		}
		doc.Answers = append(doc.Answers, *answer)
	}
	return doc, nil
}

// atOnce returns the largest cost that the contract admits.
func atOnce(p limit.Policy) int64 {
	if p.Contract == limit.ByWindow {
		return p.Requests
	}
	return p.Capacity()
}

// compare adds the results of the other reading of whole seconds. It returns a note if the other reading leads to
// another recommendation.
func compare(a *result.Answer, other *field) (notes []string, err error) {
	for _, c := range other.candidates {
		for i := range a.Rows {
			if a.Rows[i].Limiter == c.limiter.Label {
				p := c.price(other)
				a.Rows[i].LostOtherwise = &p.Lost
				a.Rows[i].RejectedOtherwise, a.Rows[i].NeedlesslyOtherwise = &p.UsersRejected, &p.UsersNeedlessly
			}
		}
	}
	b, err := other.answer()
	if err == nil && b.Rows[0].Limiter != a.Rows[0].Limiter {
		notes = []string{fmt.Sprintf("The log has whole seconds: with all requests at the start of each, "+
			"it would be %s.", b.Rows[0].Limiter)}
	}
	return notes, err
}

// policies returns the limit under each contract to answer for.
func (q *Question) policies() ([]limit.Policy, error) {
	var p limit.Policy
	named := q.Contract != nil
	switch {
	case q.Limit != nil:
		p = *q.Limit
		named = named || p.Contract == limit.ByBucket // the user gave a burst
	default:
		p = q.Scenarios[0].Limit
		named = named || q.Scenarios[0].NamesContract || p.Burst != 0
		if p.Burst != 0 && !q.Scenarios[0].NamesContract {
			p.Contract = limit.ByBucket
		}
		for _, s := range q.Scenarios[1:] {
			if s.Limit != q.Scenarios[0].Limit {
				return nil, fmt.Errorf("%w: %s has %v and %s has %v; name those of one limit, or give --limit",
					ErrLimits, q.Scenarios[0].Name, q.Scenarios[0].Limit, s.Name, s.Limit)
			}
		}
	}
	if q.Contract != nil {
		p.Contract = *q.Contract
	}
	if named {
		return []limit.Policy{p}, nil
	}
	window, bucket := p, p
	window.Contract, bucket.Contract = limit.ByWindow, limit.ByBucket
	return []limit.Policy{window, bucket}, nil
}

// usually returns what each candidate loses on the standard set. It returns nil if only the standard set is played. It
// also returns nil for the bucket contract, which all candidates keep exactly.
func (q *Question) usually(ctx context.Context, p limit.Policy) (map[string]float64, error) {
	if len(q.Scenarios) == 0 || p.Contract == limit.ByBucket {
		return nil, nil
	}
	f, err := q.play(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	lost := map[string]float64{}
	for _, c := range f.candidates {
		lost[c.limiter.Label] = c.price(f).Lost
	}
	return lost, nil
}

// play lets all candidates decide all scenarios, or the standard set. For a large limit, the standard set is played
// under a smaller limit, with which the lost shares are the same.
func (q *Question) play(ctx context.Context, p limit.Policy, list []*scenario.Scenario) (*field, error) {
	playedUnder, standard := p, len(list) == 0
	if standard {
		playedUnder = scenario.Scaled(p)
		list = scenario.Standard(playedUnder)
	}
	largest, err := largestCost(ctx, list)
	if err != nil {
		return nil, err
	}
	f, err := newField(p, playedUnder, largest)
	if err != nil {
		return nil, err
	}
	f.progress, f.asItIs = q.Progress, standard
	if q.Log && !standard { // limits the memory of all rows
		f.parts = uint64(q.Keys / keysAtOnce)
	}
	for _, s := range list {
		if err := f.play(ctx, s, q.Instead); err != nil {
			return nil, err
		}
	}
	if f.largestCost > 1 {
		f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool { return !c.admits(f.largestCost, p) })
	}
	return f, nil
}

// largestCost returns the largest cost of a request in the scenarios.
func largestCost(ctx context.Context, list []*scenario.Scenario) (int64, error) {
	largest := int64(1)
	for _, s := range list {
		if !s.HasCosts() {
			continue
		}
		for q, err := range s.Stream(s.Seed).Requests() {
			if err != nil {
				return 0, &replay.InputError{Err: err}
			}
			if largest = max(largest, q.Cost); ctx.Err() != nil {
				return 0, errInterrupted
			}
		}
	}
	return largest, nil
}
