package recommend

import (
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// evidence is one candidate in one scenario.
type evidence struct {
	run *report.Run
	row *report.Row
	own bool // a user's script, of which no parameter is known
}

// figures reads a row.
func (e evidence) figures() Figures {
	r := &e.row.Result
	f := Figures{
		Scenario: e.run.Scenario, Algorithm: e.row.Algorithm, Burst: e.burst(),
		Offered: r.Offered, Admitted: r.Admitted, PeakWindowAdmitted: r.PeakWindowAdmitted, Overshoot: r.Overshoot,
		FalseAdmits: r.FalseAdmits, FalseRejects: r.FalseRejects, Utilization: r.Utilization,
		DecisionsSHA256: r.DecisionsSHA256, RedisCalls: e.row.RedisCallsPerDecision,
	}
	e.timeScales(&f)
	return f
}

// burst is how much is admitted at once: what the parameter of that meaning says, and all of a window where there is
// none.
func (e evidence) burst() *int64 {
	if e.own {
		return nil
	}
	n := e.run.Limit.Requests
	if text, ok := algorithms.InRole(algorithms.Capacity, e.row.Algorithm, e.row.Parameters); ok {
		fmt.Sscan(text, &n) // a legal value of an integer parameter
	}
	return &n
}

// timeScales reads off where the most was admitted.
func (e evidence) timeScales(f *Figures) {
	scales, most := e.run.TimeScales, e.row.MostAdmitted
	if scales == nil || len(most) != len(scales.IntervalUS) || len(scales.Limit) != len(most) {
		return
	}
	for i, us := range scales.IntervalUS {
		if us == e.run.Limit.WindowUS && i < len(e.row.Bound) {
			f.Promised = &e.row.Bound[i]
		}
		if f.OverLimitWithinUS == nil && us <= e.run.Limit.WindowUS && most[i] > e.run.Limit.Requests {
			f.OverLimitWithinUS = &scales.IntervalUS[i]
		}
		if scales.Limit[i] <= 0 {
			continue
		}
		ratio := float64(most[i]) / float64(scales.Limit[i])
		if f.LargestExcess == nil || ratio > f.LargestExcess.Ratio {
			f.LargestExcess = &Excess{IntervalUS: us, Admitted: most[i], Limit: scales.Limit[i], Ratio: ratio}
		}
	}
}

// share is a part of what was offered; of nothing it is none.
func (f *Figures) share(n int64) float64 {
	if f.Offered == 0 {
		return 0
	}
	return float64(n) / float64(f.Offered)
}

// judge makes a candidate of its evidence, one for each scenario.
func judge(label string, all []evidence, t Tolerance, costs *Costs) Candidate {
	c := Candidate{Algorithm: label, ExcludedBy: []Exclusion{}}
	for _, e := range all {
		f := e.figures()
		c.Scenarios = append(c.Scenarios, f)
		c.worse(&f, len(c.Scenarios) == 1)
		c.promise(&f, e.run.Limit.Requests, len(c.Scenarios) == 1)
		c.exclude(&f, e.run, t, len(all) > 1)
	}
	c.Burst = oneBurst(c.Scenarios)
	if costs != nil {
		c.ServerUS, c.CostOf = costs.of(label)
		c.excludeByCost(t)
	}
	c.Qualifies = len(c.ExcludedBy) == 0
	return c
}

// oneBurst is the burst of all scenarios, nil where they differ.
func oneBurst(all []Figures) *int64 {
	for _, f := range all {
		if f.Burst == nil || *f.Burst != *all[0].Burst {
			return nil
		}
	}
	return all[0].Burst
}

// worse takes over what is worse in f than it was before.
func (c *Candidate) worse(f *Figures, first bool) {
	more := func(w *Worst, v float64) {
		if first || v > w.Value {
			*w = Worst{v, f.Scenario}
		}
	}
	more(&c.Overshoot, f.Overshoot)
	more(&c.FalseAdmits, f.share(f.FalseAdmits))
	more(&c.FalseRejects, f.share(f.FalseRejects))
	if first || f.Utilization < c.Utilization.Value {
		c.Utilization = Worst{f.Utilization, f.Scenario}
	}
	if f.RedisCalls != nil {
		if c.RedisCalls == nil {
			c.RedisCalls = &Worst{*f.RedisCalls, f.Scenario}
		}
		more(c.RedisCalls, *f.RedisCalls)
	}
}

// promise takes over what f promises, if that is more than before. Who promises nothing somewhere promises nothing.
func (c *Candidate) promise(f *Figures, limit int64, first bool) {
	if f.Promised == nil {
		c.Promise = nil
		return
	}
	times := float64(*f.Promised) / float64(limit)
	if first || c.Promise != nil && times > c.Promise.Value {
		c.Promise = &Worst{times, f.Scenario}
	}
}

// exclude notes which figures of a scenario are beyond the tolerance.
func (c *Candidate) exclude(f *Figures, run *report.Run, t Tolerance, several bool) {
	where := ""
	if several {
		where = f.Scenario + ": "
	}
	add := func(measure string, got, most float64, words string) {
		c.ExcludedBy = append(c.ExcludedBy, Exclusion{measure, f.Scenario, &got, most, where + words})
	}
	if f.Overshoot > t.MaxOvershoot {
		add(measureOvershoot, f.Overshoot, t.MaxOvershoot,
			fmt.Sprintf("peak %d in %s is %s x the limit, more than %s", f.PeakWindowAdmitted,
				sheet.Span(run.Limit.WindowUS), beyond(f.Overshoot, t.MaxOvershoot, 1, 2), decimal(t.MaxOvershoot)))
	}
	if got := f.share(f.FalseRejects); got > t.MaxFalseRejects {
		add(measureFalseRejects, got, t.MaxFalseRejects,
			wrongly(f.FalseRejects, f.Offered, "rejects", got, t.MaxFalseRejects))
	}
	if got := f.share(f.FalseAdmits); t.MaxFalseAdmits != nil && got > *t.MaxFalseAdmits {
		add(measureFalseAdmits, got, *t.MaxFalseAdmits,
			wrongly(f.FalseAdmits, f.Offered, "admits", got, *t.MaxFalseAdmits))
	}
	if t.MaxCalls != nil && f.RedisCalls != nil && *f.RedisCalls > *t.MaxCalls {
		add(measureCalls, *f.RedisCalls, *t.MaxCalls, fmt.Sprintf("%s Redis calls a decision, more than %s",
			beyond(*f.RedisCalls, *t.MaxCalls, 1, 1), decimal(*t.MaxCalls)))
	}
}

func wrongly(n, offered int64, verb string, got, most float64) string {
	return fmt.Sprintf("%s %d of %d wrongly: %s%%, more than %s", verb, n, offered, beyond(got, most, 100, 1),
		given(most))
}

// excludeByCost holds the measured cost against the tolerance. What was not measured is not within it.
func (c *Candidate) excludeByCost(t Tolerance) {
	switch {
	case t.MaxServerUS == nil:
	case c.ServerUS == nil:
		c.ExcludedBy = append(c.ExcludedBy, Exclusion{Measure: measureServerUS, Most: *t.MaxServerUS,
			Words: fmt.Sprintf("its cost was not measured, so that nothing shows it to be at most %s us",
				decimal(*t.MaxServerUS))})
	case *c.ServerUS > *t.MaxServerUS:
		c.ExcludedBy = append(c.ExcludedBy, Exclusion{Measure: measureServerUS, Got: c.ServerUS, Most: *t.MaxServerUS,
			Words: fmt.Sprintf("%s us of the server a decision, more than %s",
				beyond(*c.ServerUS, *t.MaxServerUS, 1, 1), decimal(*t.MaxServerUS))})
	}
}
