package bench

import (
	"cmp"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// row is what all rounds found of one limiter under one scenario.
type row struct {
	result.Latency
	totals
	verdicts []limit.Verdict // of virtual time, on the same requests where clients do not react
}

// totals are sums over measurements, for what is told by the decision.
type totals struct {
	known                int64 // decisions of measurements whose server statistics are known
	commands             map[string]int64
	evicted, unexplained int64
}

func (t *totals) add(sent int64, a *account) {
	if !a.stats.Known {
		return
	}
	t.known += sent
	t.evicted += a.stats.EvictedKeys
	t.unexplained += a.unexplained(sent)
	if t.commands == nil {
		t.commands = map[string]int64{}
	}
	for name, calls := range a.stats.Calls {
		if !slices.Contains(harness, name) {
			t.commands[name] += calls
		}
	}
}

// harness are the commands that come from a client while something is measured: the calls themselves, the readings of
// the counters, and the vigil's questions.
var harness = []string{"evalsha", "info", "ping"}

// work adds what was counted on the wall clock.
func (t *totals) work(w *result.Work) {
	if t.known == 0 {
		return
	}
	w.Evicted, w.UnexplainedEvalCalls = &t.evicted, &t.unexplained
	w.Commands = map[string]float64{}
	for name, n := range t.commands {
		w.Commands[name] = float64(n) / float64(t.known)
	}
}

// add takes one round.
func (r *row) add(number int, o *openRound) {
	r.Offered += o.Offered
	r.Sent += o.Sent
	r.Dropped += o.Dropped
	r.Accepted += o.Accepted
	r.Rejected += o.Rejected
	r.IntendedPerS += o.IntendedPerS // the mean, once the rounds are counted
	r.AchievedPerS += o.AchievedPerS
	r.Health.Worst(o.Health)
	r.Outcomes.Merge(o.Outcomes)
	for _, i := range o.Intervals {
		r.Intervals = addInterval(r.Intervals, i)
	}
	r.Rounds = append(r.Rounds, o.round(number))
	r.totals.add(o.Sent, &o.account)
	r.Course = addCourse(r.Course, o.course)
}

// record completes the row.
func (r *row) record(call *result.Work) result.Latency {
	if call != nil {
		r.Work = *call
	}
	r.totals.work(&r.Work)
	n := max(1, float64(len(r.Rounds)))
	r.IntendedPerS /= n
	r.AchievedPerS /= n
	var serverUS []*float64
	for _, round := range r.Rounds {
		serverUS = append(serverUS, round.ServerUSPerCall)
	}
	r.ServerUSPerCall = median(serverUS)
	return r.Latency
}

// median is that of the values that are known, nil of none.
func median(values []*float64) *float64 {
	var known []float64
	for _, v := range values {
		if v != nil {
			known = append(known, *v)
		}
	}
	if known == nil {
		return nil
	}
	return new(result.Median(known))
}

func identity(c *run.Limiter) result.Identity {
	return result.Identity{Algorithm: c.Label, ScriptSHA1: script.SHA1(c.Program.Source), Parameters: c.Parameters}
}

// addInterval merges an interval of a round with those of earlier rounds, in order.
func addInterval(all []result.Interval, i result.Interval) []result.Interval {
	at, found := slices.BinarySearchFunc(all, i.StartUS, func(a result.Interval, us int64) int {
		return cmp.Compare(a.StartUS, us)
	})
	if !found {
		return slices.Insert(all, at, i)
	}
	all[at].Accepted, all[at].Rejected = joined(all[at].Accepted, i.Accepted), joined(all[at].Rejected, i.Rejected)
	return all
}

// joined is a histogram with the counts of another; nil is an empty one.
func joined(a, b *result.Histogram) *result.Histogram {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	a.Merge(b.Histogram)
	return a
}
