package replay

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Part is a replay's result for some of the keys. The Parts of disjoint keys, for the same traffic and rows, add up to
// the Part of all keys, in any order.
type Part struct {
	All       Whole            `json:"all"`
	Keys      int64            `json:"keys"` // distinct, of this part
	Traffic   measure.Traffic  `json:"traffic"`
	Reference *measure.Tally   `json:"reference"`
	Rows      []*measure.Tally `json:"lanes"` // in order

	partial bool
}

// Whole describes the requests of all keys. It is the same in every Part.
type Whole struct {
	DurationUS  int64 `json:"duration_us"`
	LastUS      int64 `json:"last_us"`      // the time of the last request
	LargestCost int64 `json:"largest_cost"` // of any request
}

// Plus adds two Parts.
func (p *Part) Plus(o *Part) *Part {
	sum := &Part{All: p.All, Keys: p.Keys + o.Keys, Traffic: p.Traffic.Plus(o.Traffic),
		Reference: p.Reference.Plus(o.Reference), partial: p.partial || o.partial}
	for i := range p.Rows {
		sum.Rows = append(sum.Rows, p.Rows[i].Plus(o.Rows[i]))
	}
	return sum
}

// Outcome computes the figures from the Part of all keys. labels are the rows'. The error names a row, or says that the
// reference is wrong.
func (p *Part) Outcome(policy limit.Policy, labels []string) (*Outcome, error) {
	out := &Outcome{Duration: time.Duration(p.All.DurationUS) * time.Microsecond, Keys: p.Keys, LastUS: p.All.LastUS,
		LargestCost: p.All.LargestCost, Partial: p.partial, Traffic: p.Traffic, ReferenceSeries: p.Reference.Series}
	var err error
	if out.Reference, err = p.Reference.Result(policy); err != nil {
		return nil, fmt.Errorf("exact reference: %w", err)
	}
	if out.Reference.ExactCost = out.Reference.AdmittedCost; out.Reference.Excess > 0 {
		return nil, fmt.Errorf("exact reference: %d of its own admitted cost break the limit", out.Reference.Excess)
	}
	for i, t := range p.Rows {
		result, err := t.Result(policy)
		if err == nil && result.Offered != out.Reference.Offered && !p.partial {
			err = fmt.Errorf("saw %d requests, the reference %d", result.Offered, out.Reference.Offered)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels[i], err)
		}
		out.Rows = append(out.Rows, RowOutcome{Series: t.Series, Figures: measure.Figures{Result: result,
			MostAdmitted: t.MostAdmitted, Shaping: t.Delays.Shaping(), Fairness: t.Served.Fairness(p.Keys)}})
	}
	return out, nil
}
