package recommend

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/costs"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// candidate is a limiter with a setting that guarantees the contract.
type candidate struct {
	limiter algorithms.Rule // under the limit in question
	figures [4]*costs.Figure
	parts   int64   // the number of sub-windows of a window; 0: none
	full    float64 // the x of a full key's costs

	// pickable: the limiter enforces the limit itself. Others keep the contract with a smaller limit, which loses much.
	pickable bool

	played algorithms.Rule // under the limit that is played
	phases []phase
	prices []price // by traffic
}

// phase is the phase of the clock, or of the first window, relative to the traffic.
type phase struct {
	shiftUS int64 // how far the clock is ahead
	primed  bool  // each key has had one request, backUS before its first one
	backUS  int64
}

// Priced returns the limiters whose costs a recommendation needs, without the settings that depend on the limit.
func Priced() []string {
	labels := map[string]bool{}
	for _, contract := range []limit.Contract{limit.ByWindow, limit.ByBucket} {
		p := limit.Policy{Requests: 100, Window: time.Minute, Contract: contract}
		for _, c := range algorithms.Guaranteeing(p, 1) {
			label, _, _ := strings.Cut(c.Label, ":limit=")
			labels[label] = true
		}
	}
	return slices.Sorted(maps.Keys(labels))
}

// usual returns widely used limiters that do not guarantee the contract.
func usual(p limit.Policy) (all []algorithms.Choice) {
	for _, c := range algorithms.Defaults() {
		rule, err := c.Under(p)
		if err != nil || !slices.Contains(c.Algorithm.Traits.Usual, p.Contract) {
			continue
		}
		if measure.Guarantee(p, func(us int64) int64 { return rule.MostAdmitted(us, 1) }) > 1 {
			all = append(all, c)
		}
	}
	return all
}

// candidatesOf returns the candidates that can be made, under the limit in question and under the limit that is played.
// A request costs up to largestCost.
func candidatesOf(p, playedUnder limit.Policy, largestCost int64) ([]*candidate, error) {
	table := costs.Table()
	// equally many, since the standard set's limit is not too small
	small := algorithms.Guaranteeing(playedUnder, largestCost)
	var all []*candidate
	for i, choice := range algorithms.Guaranteeing(p, largestCost) {
		c := &candidate{}
		var err error
		if c.limiter, err = choice.Under(p); err != nil {
			continue // for example a log of more entries than its script can count
		}
		if c.played, err = small[i].Under(playedUnder); err != nil {
			return nil, err
		}
		for i, name := range costs.Figures() {
			c.figures[i] = costs.Of(table, c.limiter.Algorithm.Name, name)
		}
		if c.figures[0] == nil { // make costs has not counted this script yet
			continue
		}
		c.full, c.parts = costs.XOf(&c.limiter, true), c.limiter.InRole(algorithms.Parts)
		if c.parts > 0 { // a key may use one more part than a window has
			c.full = float64(min(c.parts+1, c.limiter.Policy.Requests))
		}
		c.pickable = !choice.HasOwnLimit()
		c.phases = c.phasesOf(playedUnder.WindowUS())
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, ErrNobody
	}
	return all, nil
}

// fifths is the number of phases that are played.
const fifths = 5

// phasesOf returns the phases of the clock in which the limiter is played. The worst phase counts: with one phase, the
// result would depend on chance.
func (c *candidate) phasesOf(windowUS int64) []phase {
	var all []phase
	traits := c.limiter.Algorithm.Traits
	for i := range int64(fifths) {
		switch {
		case traits.Grid:
			all = append(all, phase{shiftUS: i * windowUS / max(1, c.parts) / fifths})
		case traits.TTLRule:
			all = append(all, phase{primed: true, backUS: i * windowUS / fifths})
		}
	}
	if all == nil {
		return []phase{{}}
	}
	return all
}

// guarantee returns the most that the candidate admits, divided by what the contract allows: in a window for a window
// contract. For a bucket contract it is 1, because all candidates are the contract itself.
func (c *candidate) guarantee(p limit.Policy, largestCost int64) float64 {
	if p.Contract == limit.ByBucket {
		return 1
	}
	return float64(c.limiter.MostAdmitted(p.WindowUS(), max(1, largestCost))) / float64(p.Requests)
}

// admits reports whether a request of that cost is ever admitted. A bucket that keeps a window contract admits only
// costs up to its capacity.
func (c *candidate) admits(cost int64, p limit.Policy) bool {
	capacity := c.limiter.InRole(algorithms.Capacity)
	return p.Contract == limit.ByBucket || capacity == 0 || cost <= capacity
}
