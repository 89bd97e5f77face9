// Package recommend answers which limiter to take. What a limiter guarantees decides: candidates are rules in settings
// that keep the contract on any traffic. Their price decides among them: what they lose on the traffic at hand, the
// bytes of a key, and the work of a decision. The Go models decide; bytes and work come from the table of costs.
package recommend

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// ErrNobody is the refusal of a limit that no candidate can keep.
var ErrNobody = errors.New("no candidate can keep this limit")

// ErrStopped is what an interrupt leaves.
var ErrStopped = errors.New("nothing is recommended")

// ErrLimits is the refusal of scenarios with several limits.
var ErrLimits = errors.New("the scenarios have different limits")

// Question is what is asked.
type Question struct {
	Scenarios []*scenario.Scenario // none: the standard set
	run.Instead
	Burst bool // --burst was given, which means the bucket contract
	Log   bool // the only scenario is a recorded log
	// Otherwise is the log with its whole seconds read in the other way; nil where there is none
	Otherwise *scenario.Scenario

	Stop     <-chan struct{}
	Progress func(requests int64)
}

// Document is the answer.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Kind          string      `json:"kind" jsonschema:"enum=recommendation"`
	Tool          result.Tool `json:"tool"`

	Answers  []Answer `json:"answers" jsonschema:"minItems=1"` // one for each contract that is answered for
	Traffic  []string `json:"traffic" jsonschema:"minItems=1"` // names of the scenarios, or of the standard traffics
	Standard bool     `json:"standard"`                        // the traffics are the standard set
	Recorded bool     `json:"recorded"`                        // the traffic is a recorded log
	Requests int64    `json:"requests"`                        // of all traffics together
	Keys     int64    `json:"keys"`
	Scripts  []Script `json:"scripts"` // users' own
	Notes    []string `json:"notes"`
}

// Answer is what to take under one contract.
type Answer struct {
	Limit result.Limit `json:"limit"`
	Rows  []Row        `json:"rows" jsonschema:"minItems=1"` // the first is the pick
	Alike []Row        `json:"alike"`                        // candidates that decide as one of the rows, and cost more
	Usual []Usual      `json:"usual"`

	Script    string   `json:"script"` // of the pick, below the project's folder
	Arguments []string `json:"argv"`   // with which it is called; KEYS[1] is the key
	RedisRate string   `json:"redis_rate,omitempty"`
}

// Row is one limiter that guarantees the contract, and its price.
type Row struct {
	Limiter   string  `json:"limiter"`
	Guarantee float64 `json:"guarantee"` // the most that it admits on any traffic, of what the contract allows
	// Lost is the share that is missing of what an exact limiter admits, key by key: the mean of the traffics, each at
	// the worst of five phases of the clock.
	Lost          float64  `json:"lost"`
	LostOtherwise *float64 `json:"lost_at_once,omitempty"` // with all requests of a whole second at its start
	// LostUsually is the same on the standard set: the traffic at hand is not the traffic to come.
	LostUsually  float64 `json:"lost_on_standard"`
	WorstTraffic string  `json:"worst_traffic,omitempty"`
	WorstLost    float64 `json:"worst_lost"`
	BytesPerKey  float64 `json:"bytes_per_key"` // of a full key with a name of 16 bytes
	Instructions float64 `json:"instructions"`  // of a decision, weighted by the paths that the traffic takes
	Work         float64 `json:"work"`          // the same, relative to the cheapest row

	UsersRejected   int64 `json:"users_rejected"`            // keys with a rejection
	UsersNeedlessly int64 `json:"users_rejected_needlessly"` // of which an exact limiter rejects nothing

	decided string // tells candidates that decide alike
}

// Usual is a limiter that most people use and that does not guarantee the contract.
type Usual struct {
	Limiter string  `json:"limiter"`
	Peak    float64 `json:"x_limit"` // the most that it admitted of one key in a window here, of the limit
	Beyond  float64 `json:"beyond"`  // share of what it admitted that an exact limiter behind it would refuse
}

// Script is a user's own, of which no guarantee is known.
type Script struct {
	Limiter  string   `json:"limiter"`
	Findings []string `json:"findings"` // of its examination, the worst first
}

// Answer plays the traffic and applies the rule, under the contract that somebody named or under both.
func (q *Question) Answer(ctx context.Context) (*Document, error) {
	policies, err := q.policies()
	if err != nil {
		return nil, err
	}
	doc := &Document{SchemaVersion: result.Recommendation.Version, Kind: result.Recommendation.Kind,
		Standard: len(q.Scenarios) == 0, Recorded: q.Log, Scripts: []Script{}, Notes: []string{}}
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
		doc.Traffic, doc.Requests, doc.Keys = field.names, field.requests, field.keys
		answer, err := field.answer()
		if err != nil {
			return nil, err
		}
		if q.Otherwise != nil {
			other, err := q.play(ctx, p, []*scenario.Scenario{q.Otherwise})
			if err != nil {
				return nil, err
			}
			other.usually = usually
			if err := answer.compare(other, doc); err != nil {
				return nil, err
			}
		}
		doc.Answers = append(doc.Answers, *answer)
	}
	return doc, nil
}

// compare adds what the other reading of whole seconds comes to.
func (a *Answer) compare(other *field, doc *Document) error {
	for _, c := range other.candidates {
		for i := range a.Rows {
			if a.Rows[i].Limiter == c.choice.Label {
				lost := c.price(other).Lost
				a.Rows[i].LostOtherwise = &lost
			}
		}
	}
	b, err := other.answer()
	if err == nil && b.Rows[0].Limiter != a.Rows[0].Limiter {
		doc.Notes = append(doc.Notes, fmt.Sprintf("The log has whole seconds: with all requests at the start of each, "+
			"it would be %s.", b.Rows[0].Limiter))
	}
	return err
}

// policies are the limit under each contract that is answered for.
func (q *Question) policies() ([]limit.Policy, error) {
	var p limit.Policy
	named := q.Contract != nil || q.Burst
	switch {
	case q.Limit != nil:
		p = *q.Limit
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
	if q.Burst {
		p.Contract = limit.ByBucket
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

// usually is what each candidate loses on the standard set; nil where nothing else is played, and under the bucket
// contract, which all candidates keep exactly.
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
		lost[c.choice.Label] = c.price(f).Lost
	}
	return lost, nil
}

// play lets all candidates decide all scenarios, or the standard set. That of a large limit is played under a smaller
// one, which loses the same shares.
func (q *Question) play(ctx context.Context, p limit.Policy, list []*scenario.Scenario) (*field, error) {
	playedUnder := p
	if len(list) == 0 {
		playedUnder = scenario.Scaled(p)
		list = scenario.Standard(playedUnder)
	}
	f, err := newField(p, playedUnder)
	if err != nil {
		return nil, err
	}
	f.stop, f.progress = q.Stop, q.Progress
	for _, s := range list {
		if err := f.play(ctx, s, run.NewPlan(s, q.Instead).Seed); err != nil {
			return nil, err
		}
	}
	if f.largestCost > 1 {
		f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool { return !c.admits(f.largestCost, p) })
	}
	return f, nil
}
