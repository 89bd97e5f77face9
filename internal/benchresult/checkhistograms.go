package benchresult

import "fmt"

// count is how much h holds; an absent histogram is empty.
func (h *Histogram) count() int64 {
	if h == nil || h.Histogram == nil {
		return 0
	}
	return h.TotalCount()
}

// stretches are d's histograms with the names of their fields.
func (d *Durations) stretches() []stretch {
	return []stretch{{"lag", d.Lag}, {"wait", d.Wait}, {"service", d.Service}, {"response", d.Response}}
}

type stretch struct {
	name string
	*Histogram
}

// verdicts are o's two halves with the names of their fields.
func (o *Outcomes) verdicts() []verdict {
	return []verdict{{MixAccepted, &o.Accepted}, {MixRejected, &o.Rejected}}
}

type verdict struct {
	name string
	*Durations
}

// checkHistograms compares each histogram with the decisions that it is of. Where durations were out of a histogram's
// range, which is an overflow and counted as such, it may hold fewer.
func (o *Open) checkHistograms() error {
	decisions := map[string]int64{MixAccepted: o.Accepted, MixRejected: o.Rejected}
	for v, whole := range o.Latency.verdicts() {
		for s, of := range whole.stretches() {
			name, want := whole.name+" "+of.name, decisions[whole.name]
			if err := o.checkCount(name, of.count(), "the decisions are", want); err != nil {
				return err
			}
			var parts int64
			for i := range o.Intervals {
				parts += o.Intervals[i].Latency.verdicts()[v].stretches()[s].count()
			}
			if len(o.Intervals) == 0 {
				continue
			}
			if err := o.checkCount("the intervals' "+name, parts, "all together", of.count()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Open) checkCount(name string, count int64, of string, want int64) error {
	if count == want || count < want && o.Health.Overflow > 0 {
		return nil
	}
	return fmt.Errorf("%s counts %d, and %s %d", name, count, of, want)
}
