package curves

import (
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// RightLabel is the label of a right limiter beside a script with a fault.
const RightLabel = "reference: a right limiter"

// Counterexample returns two charts of the traffic that shows a fault of the script with that label: the requests with
// the admitted ones, and the admitted cost in the last window. The reference is a right limiter. It returns nil if the
// fault is not about what is admitted.
func Counterexample(label string, f *result.Finding) []Timeline {
	p := f.Counterexample
	if p == nil {
		return nil
	}
	first, last := p.Requests[0].AtUS, p.Requests[len(p.Requests)-1].AtUS
	endUS := last + max((last-first)/silenceLeft, f.Limit.WindowUS/longSilence)
	duration := time.Duration(endUS) * time.Microsecond
	sums, keys := measure.Result{}, map[string]int64{}
	for _, q := range p.Requests {
		sums.Offered++
		sums.OfferedCost += q.Cost
		if _, known := keys[q.Key]; !known {
			keys[q.Key] = int64(len(keys))
		}
	}
	offered := slices.Repeat([]limit.Decision{{Verdict: limit.Allowed}}, len(p.Requests))
	course := func(decisions []limit.Decision) measure.Series {
		m := measure.NewMeter(f.Limit.Policy(), duration)
		for i, q := range p.Requests {
			m.Observe(q, keys[q.Key], decisions[i])
		}
		t, err := m.Tally(duration, nil, nil)
		if err != nil {
			panic(err) // cannot fail: the times of a play do not decrease
		}
		return t.Series
	}
	all, right := course(offered), course(p.Right)
	charts := Timelines(Input{
		Run:     &result.Run{Limit: f.Limit, Keys: int64(len(keys)), DurationUS: endUS, Reference: &sums},
		Traffic: measure.Traffic{BucketUS: all.BucketUS, Offered: all.Admitted}, Reference: &right,
		Algorithms: []Limiter{{Label: label, Series: course(p.Script)}},
	})[:2]
	for i := range charts {
		charts[i].Reference.Label = RightLabel
	}
	return charts
}
