package replay

import (
	"fmt"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Part is what a replay found of some keys. Parts of disjoint sets of keys, of one traffic past the same lanes, add up
// to the part of all keys, whatever the order.
type Part struct {
	All       Whole            `json:"all"`
	Keys      int64            `json:"keys"` // distinct, of this part
	Traffic   measure.Traffic  `json:"traffic"`
	Reference *measure.Tally   `json:"reference"`
	Lanes     []*measure.Tally `json:"lanes"` // in the order of the lanes

	partial bool
}

// Whole is what every part of one traffic knows alike, since it is about the requests of all keys.
type Whole struct {
	DurationUS  int64 `json:"duration_us"`
	LastUS      int64 `json:"last_us"`      // the time of the last request
	LargestCost int64 `json:"largest_cost"` // of any request
}

// Plus is what both parts come to.
func (p *Part) Plus(o *Part) *Part {
	sum := &Part{All: p.All, Keys: p.Keys + o.Keys, Traffic: p.Traffic.Plus(o.Traffic),
		Reference: p.Reference.Plus(o.Reference), partial: p.partial || o.partial}
	for i := range p.Lanes {
		sum.Lanes = append(sum.Lanes, p.Lanes[i].Plus(o.Lanes[i]))
	}
	return sum
}

// Outcome is what the part of all keys comes to, under policy p; labels are the lanes'. The error names a lane, or
// says that the reference is wrong.
func (p *Part) Outcome(policy limit.Policy, labels []string) (*Outcome, error) {
	out := &Outcome{Duration: time.Duration(p.All.DurationUS) * time.Microsecond, Keys: p.Keys, LastUS: p.All.LastUS,
		LargestCost: p.All.LargestCost, Partial: p.partial, Traffic: p.Traffic, ReferenceSeries: p.Reference.Series}
	var err error
	if out.Reference, err = p.Reference.Result(policy, out.Duration, p.Keys); err != nil {
		return nil, fmt.Errorf("exact reference: %w", err)
	}
	if out.Reference.ExactCost = out.Reference.AdmittedCost; out.Reference.Excess > 0 {
		return nil, fmt.Errorf("exact reference: %d of its own admissions break the contract", out.Reference.Excess)
	}
	for i, t := range p.Lanes {
		result, err := t.Result(policy, out.Duration, p.Keys)
		if err == nil && result.Offered != out.Reference.Offered && !p.partial {
			err = fmt.Errorf("saw %d requests, the reference %d", result.Offered, out.Reference.Offered)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", labels[i], err)
		}
		out.Lanes = append(out.Lanes, LaneOutcome{Result: result, Series: t.Series, MostAdmitted: t.MostAdmitted,
			Shaping: t.Delays.Shaping(), Fairness: t.Served.Fairness(p.Keys), RateDifference: t.Rate.Mean()})
	}
	return out, nil
}
