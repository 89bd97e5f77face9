package measure

import (
	"slices"

	"ratelab/internal/limit"
)

// Tally has the observations of a part of a run's keys. Tallies of disjoint sets of keys, over the same time, can be
// added: each value is a sum of whole numbers, a maximum, or the worst of a list. Ratios are computed from the sums at
// the end.
type Tally struct {
	Counts       Result  `json:"counts"`    // Result computes the shares
	LostCost     int64   `json:"lost_cost"` // the sum of Result.Lost, before its division
	Digest       Sum128  `json:"decisions_digest"`
	Series       Series  `json:"series"`
	MostAdmitted []int64 `json:"most_admitted,omitempty"` // for each of the TimeScales
	Delays       Delays  `json:"delays,omitempty"`        // absent if no request was delayed
	Served       *Served `json:"served,omitempty"`        // absent if not asked for, or if there are too many keys

	Slots *Slots `json:"slots,omitempty"` // of a limit on requests in flight

	Limits         []LimitTally `json:"limits,omitempty"` // of several limits
	SeveralRefused int64        `json:"several_refused,omitempty"`
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

// Result returns the figures of all keys of a run under p. An error means that the figures contradict each other: a
// fault of this program, not of the limiter.
func (t *Tally) Result(p limit.Policy) (Result, error) {
	r := t.Counts
	r.DecisionsDigest = t.Digest.String()
	if p.Contract != limit.ByBucket {
		r.XLimit = float64(r.Peak) / float64(p.Requests)
	}
	r.Lost = ratio(t.LostCost, r.ExactCost).Number
	if t.Limits != nil {
		t.byLimits(&r)
	}
	return r, r.Check()
}

// Plus adds two tallies of one run. All their series must have the same length.
func (t *Tally) Plus(o *Tally) *Tally {
	sum := &Tally{Counts: t.Counts.plus(o.Counts), LostCost: t.LostCost + o.LostCost, Digest: t.Digest,
		Series:       t.Series.plus(o.Series),
		MostAdmitted: joined(t.MostAdmitted, o.MostAdmitted, larger),
		Served:       t.Served.plus(o.Served)}
	sum.Digest.add(o.Digest)
	if t.Slots != nil {
		sum.Slots = &Slots{AdmittedFull: t.Slots.AdmittedFull + o.Slots.AdmittedFull,
			RefusedFree: t.Slots.RefusedFree + o.Slots.RefusedFree}
	}
	sum.SeveralRefused = t.SeveralRefused + o.SeveralRefused
	for i := range t.Limits {
		sum.Limits = append(sum.Limits, t.Limits[i].plus(o.Limits[i]))
	}
	if t.Delays != nil || o.Delays != nil {
		sum.Delays = t.delays().plus(o.delays())
	}
	return sum
}

// delays returns t.Delays. If no request was delayed, all admitted requests have the delay 0.
func (t *Tally) delays() Delays {
	if t.Delays != nil {
		return t.Delays
	}
	return Delays{0: t.Counts.Admitted}
}

// plus returns the series of both sets of keys.
func (s Series) plus(o Series) Series {
	return Series{BucketUS: s.BucketUS, Admitted: joined(s.Admitted, o.Admitted, plus),
		Rolling: joined(s.Rolling, o.Rolling, larger), DelayUS: joined(s.DelayUS, o.DelayUS, larger)}
}

// Plus returns the traffic of both.
func (t Traffic) Plus(o Traffic) Traffic {
	return Traffic{BucketUS: t.BucketUS, Offered: joined(t.Offered, o.Offered, plus)}
}

// joined combines two lists of one length element by element. nil stands for zeros.
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
