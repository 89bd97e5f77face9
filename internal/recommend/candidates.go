package recommend

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/costs"
	"ratelab/internal/limit"
)

// candidate is a limiter in a setting that guarantees the contract.
type candidate struct {
	limiter algorithms.Rule // under the limit that was asked about
	figures [4]*costs.Figure
	parts   int64   // sub-windows of a window; 0: it has none
	x       float64 // what its costs depend on; of one with parts, where all are in use

	played algorithms.Rule // under the limit that is played
	phases []phase
	prices []price // by traffic
}

// phase is how the clock, or the first window, lies.
type phase struct {
	shiftUS int64 // the clock is ahead by so much
	primed  bool  // each key has had a request, so long before its first
	backUS  int64
}

// settings are the labels of those that guarantee the contract of p.
func settings(p limit.Policy) []string {
	if p.Contract == limit.ByBucket {
		return []string{"gcra", "token-bucket"}
	}
	all := []string{"sliding-window-log", "sliding-window-buckets", "sliding-window-buckets:parts=60"}
	for _, k := range []int64{10, 4, 2} {
		b := max(1, p.Requests/k)
		label := fmt.Sprintf("gcra:limit=%d:burst=%d", p.Requests-b, b)
		if p.Requests > b && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	if p.Requests == 1 { // half a limit is none, and no two requests can surround an edge
		return append(all, "gcra", "fixed-window")
	}
	return append(all, fmt.Sprintf("fixed-window:limit=%d", p.Requests/2))
}

// Priced are the limiters whose costs a recommendation needs, without what the limit sets.
func Priced() (all []string) {
	for _, contract := range []limit.Contract{limit.ByWindow, limit.ByBucket} {
		for _, label := range settings(limit.Policy{Requests: 100, Window: time.Minute, Contract: contract}) {
			label, _, _ = strings.Cut(label, ":limit=")
			all = append(all, label)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// usual are widely used limiters that do not guarantee the contract.
func usual(p limit.Policy) []string {
	switch {
	case p.Requests == 1: // they keep it: settings has them
		return nil
	case p.Contract == limit.ByWindow:
		return []string{"fixed-window", "gcra", "sliding-window-counter"}
	case p.Capacity() < p.Requests:
		return []string{"fixed-window", "sliding-window-log"}
	case p.Capacity() < 2*p.Requests-1: // sliding-window-counter admits no more than a bucket of L does
		return []string{"fixed-window"}
	}
	return nil
}

// candidatesOf are those that can be made, under the limit that was asked about and under the one that is played.
func candidatesOf(p, playedUnder limit.Policy) ([]*candidate, error) {
	table, small := costs.Table(), settings(playedUnder) // of as many: the standard set's limit is not too small
	var all []*candidate
	for i, label := range settings(p) {
		c := &candidate{}
		var err error
		if c.limiter, err = limiterOf(label, p); err != nil {
			continue // such as a log of more entries than its script can count
		}
		if c.played, err = limiterOf(small[i], playedUnder); err != nil {
			return nil, err
		}
		for i, name := range costs.Figures() {
			if c.figures[i] = costs.Of(table, c.limiter.Algorithm.Name, name); c.figures[i] == nil {
				return nil, fmt.Errorf("%s: no cost is known; make costs counts it", c.limiter.Algorithm.Name)
			}
		}
		c.x, c.parts = costs.XOf(&c.limiter, true), c.limiter.InRole(algorithms.Parts)
		c.phases = c.phasesOf(playedUnder.WindowUS())
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, ErrNobody
	}
	return all, nil
}

func limiterOf(label string, p limit.Policy) (algorithms.Rule, error) {
	choice, err := algorithms.Parse(label)
	if err != nil {
		return algorithms.Rule{}, err
	}
	return choice.Under(p)
}

// fifths are how many phases are played.
const fifths = 5

// phasesOf are the phases of the clock under which the limiter is run. The worst counts; with one phase, the result
// would depend on chance.
func (c *candidate) phasesOf(windowUS int64) []phase {
	var all []phase
	for i := range int64(fifths) {
		switch {
		case c.parts > 0:
			all = append(all, phase{shiftUS: i * windowUS / c.parts / fifths})
		case c.limiter.Algorithm.Name == "fixed-window":
			all = append(all, phase{primed: true, backUS: i * windowUS / fifths})
		}
	}
	if all == nil {
		return []phase{{}}
	}
	return all
}

// guarantee is the most that the candidate admits, of what the contract allows: in a window, or, of a bucket, in any
// interval, where both rules are the contract itself.
func (c *candidate) guarantee(p limit.Policy, largestCost int64) float64 {
	if p.Contract == limit.ByBucket {
		return 1
	}
	return float64(c.limiter.MostAdmitted(p.WindowUS(), max(1, largestCost))) / float64(p.Requests)
}

// admits reports whether a request of that cost is ever admitted: by a gcra that keeps a window, up to its burst.
func (c *candidate) admits(cost int64, p limit.Policy) bool {
	return p.Contract == limit.ByBucket || c.limiter.Algorithm.Name != "gcra" ||
		cost <= c.limiter.InRole(algorithms.Capacity)
}
