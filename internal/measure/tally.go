package measure

import (
	"slices"
	"time"

	"ratelab/internal/limit"
)

// Tally is what was observed of some of a run's keys. Tallies of disjoint sets of keys, over one time, add up to that
// of all: whatever is in one is a sum of whole numbers, a maximum, or the worst of a list. A figure that is a ratio is
// made of them at the end.
type Tally struct {
	Counts       Result          `json:"counts"` // what is no whole number is left to Result
	Digest       Sum128          `json:"decisions_digest"`
	Series       Series          `json:"series"`
	MostAdmitted []int64         `json:"most_admitted,omitempty"` // for each of the time scales
	Rate         *RateDifference `json:"rate,omitempty"`
	Delays       *Delays         `json:"delays,omitempty"` // absent where nothing was delayed
	Served       *Served         `json:"served,omitempty"` // absent where it was not asked for, or of too many keys
}

// plus is what both come to.
func (c Result) plus(o Result) Result {
	c.Offered += o.Offered
	c.Admitted += o.Admitted
	c.Rejected += o.Rejected
	c.Errors += o.Errors
	c.NotConfigured += o.NotConfigured
	c.Unavailable += o.Unavailable
	c.OfferedCost += o.OfferedCost
	c.AdmittedCost += o.AdmittedCost
	c.PeakWindowAdmitted = max(c.PeakWindowAdmitted, o.PeakWindowAdmitted)
	c.Excess += o.Excess
	c.ExcessCost += o.ExcessCost
	c.Shortfall += o.Shortfall
	c.ShortfallCost += o.ShortfallCost
	c.ExactCost += o.ExactCost
	c.DiffersFromExact += o.DiffersFromExact
	return c
}

// Result is what the counts of all keys come to, in a run under p that took the duration and saw so many distinct keys.
// Without a duration or keys the utilization is 0, since it has no denominator. An error means that the figures
// contradict each other: the harness is wrong, not the algorithm.
func (t *Tally) Result(p limit.Policy, duration time.Duration, keys int64) (Result, error) {
	r := t.Counts
	r.DecisionsDigest = t.Digest.String()
	r.Overshoot = float64(r.PeakWindowAdmitted) / float64(p.Requests)
	if duration > 0 && keys > 0 {
		windows := float64(duration.Microseconds()) / float64(p.WindowUS())
		r.Utilization = float64(r.AdmittedCost) / (float64(p.Requests) * windows * float64(keys))
	}
	return r, r.check()
}

// Plus is what both tallies come to. They are of one run, in which all series are of one length.
func (t *Tally) Plus(o *Tally) *Tally {
	sum := &Tally{Counts: t.Counts.plus(o.Counts), Digest: t.Digest, Series: t.Series.plus(o.Series),
		MostAdmitted: joined(t.MostAdmitted, o.MostAdmitted, larger), Rate: t.Rate.plus(o.Rate),
		Served: t.Served.plus(o.Served)}
	sum.Digest.add(o.Digest)
	if t.Delays != nil || o.Delays != nil {
		sum.Delays = t.delays().plus(o.delays())
	}
	return sum
}

// delays are the tally's; where nothing was delayed, all that was admitted left at once.
func (t *Tally) delays() *Delays {
	if t.Delays != nil {
		return t.Delays
	}
	return &Delays{map[int64]int64{0: t.Counts.Admitted}, t.Counts.PeakWindowAdmitted}
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
