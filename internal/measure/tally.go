package measure

import (
	"slices"

	"ratelab/internal/limit"
)

// Tally is what was observed of some of a run's keys. Tallies of disjoint sets of keys, over one time, add up to that
// of all: whatever is in one is a sum of whole numbers, a maximum, or the worst of a list. A figure that is a ratio is
// made of them at the end.
type Tally struct {
	Counts       Result  `json:"counts"`    // Result computes the shares
	LostCost     int64   `json:"lost_cost"` // the sum of Result.Lost, before its division
	Digest       Sum128  `json:"decisions_digest"`
	Series       Series  `json:"series"`
	MostAdmitted []int64 `json:"most_admitted,omitempty"` // for each of the time scales
	Delays       Delays  `json:"delays,omitempty"`        // absent where nothing was delayed
	Served       *Served `json:"served,omitempty"`        // absent where it was not asked for, or of too many keys
}

// plus adds the counts of other keys.
func (c Result) plus(o Result) Result {
	c.Offered += o.Offered
	c.Admitted += o.Admitted
	c.Rejected += o.Rejected
	c.Errors += o.Errors
	c.NotConfigured += o.NotConfigured
	c.Unavailable += o.Unavailable
	c.OfferedCost += o.OfferedCost
	c.AdmittedCost += o.AdmittedCost
	c.Peak = max(c.Peak, o.Peak)
	c.XLimit = max(c.XLimit, o.XLimit)
	c.Excess += o.Excess
	c.ExactCost += o.ExactCost
	c.UsersRejected += o.UsersRejected
	c.UsersRejectedNeedlessly += o.UsersRejectedNeedlessly
	return c
}

// Result is computed from the counts of all keys of a run under p. An error means that the figures contradict each
// other: the harness is wrong, not the limiter.
func (t *Tally) Result(p limit.Policy) (Result, error) {
	r := t.Counts
	r.DecisionsDigest = t.Digest.String()
	if p.Contract == limit.ByWindow {
		r.XLimit = float64(r.Peak) / float64(p.Requests)
	}
	r.Lost = ratio(t.LostCost, r.ExactCost).Number
	return r, r.Check()
}

// Plus adds two tallies of one run, in which all series have one length.
func (t *Tally) Plus(o *Tally) *Tally {
	sum := &Tally{Counts: t.Counts.plus(o.Counts), LostCost: t.LostCost + o.LostCost, Digest: t.Digest,
		Series:       t.Series.plus(o.Series),
		MostAdmitted: joined(t.MostAdmitted, o.MostAdmitted, larger),
		Served:       t.Served.plus(o.Served)}
	sum.Digest.add(o.Digest)
	if t.Delays != nil || o.Delays != nil {
		sum.Delays = t.delays().plus(o.delays())
	}
	return sum
}

// delays are the tally's; where nothing was delayed, all that was admitted left at once.
func (t *Tally) delays() Delays {
	if t.Delays != nil {
		return t.Delays
	}
	return Delays{0: t.Counts.Admitted}
}

// plus is the course of both.
func (s Series) plus(o Series) Series {
	return Series{BucketUS: s.BucketUS, Admitted: joined(s.Admitted, o.Admitted, plus),
		Rolling: joined(s.Rolling, o.Rolling, larger), DelayUS: joined(s.DelayUS, o.DelayUS, larger)}
}

// Plus is what was offered in both.
func (t Traffic) Plus(o Traffic) Traffic {
	return Traffic{BucketUS: t.BucketUS, Offered: joined(t.Offered, o.Offered, plus)}
}

// joined are two lists of one length, joined place by place; nil stands for zeros.
func joined(a, b []int64, join func(a, b int64) int64) []int64 {
	switch {
	case a == nil:
		return slices.Clone(b)
	case b == nil:
		return slices.Clone(a)
	}
	sum := make([]int64, len(a))
	for i := range a {
		sum[i] = join(a[i], b[i])
	}
	return sum
}
