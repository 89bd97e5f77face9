package recommend

import (
	"cmp"
	"fmt"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// evidence is one candidate in one scenario with one seed.
type evidence struct {
	run *report.Run
	row *report.Row
	own bool // a user's script, of which no parameter is known

	exact *report.Row // of the yardstick with the same seed; nil where clients do not react
}

// testimony is one candidate in one scenario: with every seed, and what it cost on a server, where it was confirmed.
type testimony struct {
	seeds  []evidence
	server *report.Row
}

// played reads a row.
func (e evidence) played(t Tolerance) Played {
	r := &e.row.Result
	p := Played{
		Seed: e.run.Seed, Offered: r.Offered, Admitted: r.Admitted, PeakWindowAdmitted: r.PeakWindowAdmitted,
		Overshoot: e.run.Ratio(e.row), AdmittedCost: r.AdmittedCost, ExactCost: r.ExactCost, ExcessCost: r.ExcessCost,
		ShortfallCost: r.ShortfallCost, DecisionsDigest: r.DecisionsDigest, Clients: e.served(),
	}
	if e.row.Shaping != nil {
		p.DelayUS = &e.row.Shaping.DelayUS
	}
	p.Kept = t.keeps(&p)
	return p
}

// keeps reports whether a run is within the tolerance.
func (t Tolerance) keeps(p *Played) bool {
	return !slices.ContainsFunc(traits(), func(x trait) bool { return x.of(p) > x.most(t) })
}

// trait is a figure of a run that has a tolerance of its own.
type trait struct {
	measure string
	of      func(*Played) float64
	most    func(Tolerance) float64
	words   func(p *Played, run *report.Run, most float64) string // of one run that is beyond it
	beyond  func(most, got float64, contract limit.Contract) string
}

// traits are those that decide whether a run is within the tolerance.
func traits() []trait {
	return []trait{
		{measureOvershoot, func(p *Played) float64 { return p.Overshoot },
			func(t Tolerance) float64 { return t.MaxOvershoot },
			func(p *Played, run *report.Run, most float64) string {
				if run.Limit.Contract == limit.ByBucket {
					return fmt.Sprintf("lets through %s x what the contract allows, more than %s",
						beyond(p.Overshoot, most, 1, 2), decimal(most))
				}
				return fmt.Sprintf("peak %d in %s is %s x the limit, more than %s", p.PeakWindowAdmitted,
					sheet.Span(run.Limit.WindowUS), beyond(p.Overshoot, most, 1, 2), decimal(most))
			},
			func(most, got float64, contract limit.Contract) string {
				return fmt.Sprintf("more than %s x %s, up to %s", decimal(most), allowance(contract),
					beyond(got, most, 1, 2))
			}},
		{measureShortfall, (*Played).shortfall, func(t Tolerance) float64 { return t.MaxShortfall },
			func(p *Played, _ *report.Run, most float64) string {
				if p.Clients != nil {
					return p.Clients.missingInWords(most)
				}
				return fmt.Sprintf("lets through %d less than the %d of an exact limiter: %s%%, more than %s",
					p.ShortfallCost, p.ExactCost, beyond(p.shortfall(), most, 100, 1), given(most))
			},
			func(most, got float64, _ limit.Contract) string {
				return fmt.Sprintf("a shortfall of more than %s, up to %s%%", given(most), beyond(got, most, 100, 1))
			}},
		{measureExcess, (*Played).excess, func(t Tolerance) float64 { return t.MaxExcess },
			func(p *Played, _ *report.Run, most float64) string {
				return fmt.Sprintf("%d of the %d admitted are beyond the contract: %s%%, more than %s", p.ExcessCost,
					p.AdmittedCost, beyond(p.excess(), most, 100, 1), given(most))
			},
			func(most, got float64, _ limit.Contract) string {
				return fmt.Sprintf("an excess of more than %s, up to %s%%", given(most), beyond(got, most, 100, 1))
			}},
		{measureDelay, (*Played).delay, func(t Tolerance) float64 { return float64(t.MaxDelayUS) },
			func(p *Played, _ *report.Run, most float64) string {
				return fmt.Sprintf("delays what it admits by up to %s, more than %s", sheet.Span(p.DelayUS.Max),
					sheet.Span(int64(most)))
			},
			func(most, got float64, _ limit.Contract) string {
				return fmt.Sprintf("a delay of more than %s, up to %s", sheet.Span(int64(most)), sheet.Span(int64(got)))
			}},
		{measureAmplification, (*Played).tries, Tolerance.tries,
			func(p *Played, _ *report.Run, most float64) string {
				return fmt.Sprintf("%s tries a success, more than %s", beyond(p.tries(), most, 1, 2), decimal(most))
			},
			func(most, got float64, _ limit.Contract) string {
				return fmt.Sprintf("more than %s tries a success, up to %s", decimal(most), beyond(got, most, 1, 2))
			}},
	}
}

// allowance is what a contract allows, in two words.
func allowance(c limit.Contract) string {
	if c == limit.ByBucket {
		return "what the contract allows"
	}
	return "the limit"
}

// excess is the share of the admitted cost that breaks the contract; where clients react, nobody compares it.
func (p *Played) excess() float64 {
	if p.Clients != nil {
		return 0
	}
	return share(p.ExcessCost, p.AdmittedCost)
}

// shortfall is the share that is missing of the cost that an exact limiter lets through, and where clients react of its
// goodput.
func (p *Played) shortfall() float64 {
	if p.Clients != nil {
		return p.Clients.missing()
	}
	return share(p.ShortfallCost, p.ExactCost)
}

// delay is the longest, in µs.
func (p *Played) delay() float64 {
	if p.DelayUS == nil {
		return 0
	}
	return float64(p.DelayUS.Max)
}

// share is a part of a whole; of nothing it is none.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// burst is how much is admitted at once: what the parameter of that meaning says, and all of a window where there is
// none; on gateways that count each for itself so much on each.
func (e evidence) burst() *int64 {
	if e.own {
		return nil
	}
	n, gateways := e.run.Limit.Requests, int64(0)
	if choice, err := algorithms.Parse(e.row.Algorithm); err == nil {
		n, gateways = choice.Policy(e.run.Limit.Policy()).Requests, choice.Gateways()
	}
	if text, ok := algorithms.InRole(algorithms.Capacity, e.row.Algorithm, e.row.Parameters); ok {
		fmt.Sscan(text, &n) // a legal value of an integer parameter
	}
	n *= max(1, gateways)
	return &n
}

// figures sums up the seeds.
func (t *testimony) figures(tolerance Tolerance) Figures {
	first := t.seeds[0]
	f := Figures{Scenario: first.run.Scenario, Algorithm: first.row.Algorithm, Burst: first.burst()}
	for _, e := range t.seeds {
		f.Runs = append(f.Runs, e.played(tolerance))
		if f.Runs[len(f.Runs)-1].Kept {
			f.Kept++
		}
	}
	f.Overshoot = f.spread(func(p *Played) float64 { return p.Overshoot })
	f.Excess, f.Shortfall = f.spread((*Played).excess), f.spread((*Played).shortfall)
	f.serve()
	return f
}

// sorted are a figure's values over all seeds, the least first.
func (f *Figures) sorted(of func(*Played) float64) []float64 {
	var all []float64
	for i := range f.Runs {
		all = append(all, of(&f.Runs[i]))
	}
	slices.Sort(all)
	return all
}

func (f *Figures) spread(of func(*Played) float64) Spread {
	all := f.sorted(of)
	n := len(all)
	return Spread{Median: (all[(n-1)/2] + all[n/2]) / 2, Least: all[0], Most: all[n-1]}
}

// judge makes a candidate of what it did in each scenario.
func judge(label string, all []testimony, t Tolerance, costs *Costs) Candidate {
	c := Candidate{Algorithm: label, ExcludedBy: []Exclusion{}, Unpromised: []Exclusion{}}
	several := len(all) > 1
	for i := range all {
		f := all[i].figures(t)
		c.Scenarios = append(c.Scenarios, f)
		c.worse(&f, i == 0)
		c.exclude(&all[i], &f, t, several)
		c.cost(all[i].server, i == 0)
	}
	c.Burst = oneBurst(c.Scenarios)
	c.promise(all, t)
	c.excludeByServer(t, all)
	if costs != nil {
		c.ServerUS, c.CostOf = costs.of(label)
		c.excludeByCost(t)
	}
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
	more := func(w *Worst, s Spread) {
		if first || cmp.Or(cmp.Compare(s.Median, w.Median), cmp.Compare(s.Most, w.Most)) > 0 {
			*w = Worst{s, f.Scenario}
		}
	}
	more(&c.Overshoot, f.Overshoot)
	more(&c.Excess, f.Excess)
	more(&c.Shortfall, f.Shortfall)
	c.serve(f)
	if first || f.Kept*c.Seeds < c.Kept*len(f.Runs) {
		c.Kept, c.Seeds = f.Kept, len(f.Runs)
	}
}

// cost takes over what the server counted, the most in any scenario; what one server did not say is not known.
func (c *Candidate) cost(row *report.Row, first bool) {
	more := func(known **float64, v *float64) {
		switch {
		case v == nil, !first && *known == nil:
			*known = nil
		case first || *v > **known:
			*known = v
		}
	}
	if row == nil {
		row = &report.Row{}
	}
	more(&c.RedisCalls, row.RedisCallsPerDecision)
	more(&c.CallsAdmitting, row.RedisCallsPerAdmitted)
	if v := row.RedisCallsPerRejected; v != nil && (c.CallsRejecting == nil || *v > *c.CallsRejecting) {
		c.CallsRejecting = v // where a scenario rejects nothing another one tells
	}
	more(&c.BytesPerKey, row.BytesPerKey)
	more(&c.CallsPerSuccess, callsPerSuccess(row))
}

// exclude notes which figures of a scenario are beyond the tolerance, where it is kept in too few seeds.
func (c *Candidate) exclude(all *testimony, f *Figures, t Tolerance, several bool) {
	must := needed(len(f.Runs))
	if f.Kept >= must {
		return
	}
	where := ""
	if several {
		where = f.Scenario + ": "
	}
	for _, x := range traits() {
		most := x.most(t)
		values := f.sorted(x.of)
		most2 := values[len(values)-1]
		if most2 <= most {
			continue
		}
		got := f.enough(x, t, must)
		var words string
		if len(f.Runs) == 1 {
			words = x.words(&f.Runs[0], all.seeds[0].run, most)
		} else {
			over := len(values) - len(values[:countUpTo(values, most)])
			words = fmt.Sprintf("in %d of %d seeds %s", over, len(values),
				x.beyond(most, most2, all.seeds[0].run.Limit.Contract))
		}
		c.ExcludedBy = append(c.ExcludedBy, Exclusion{x.measure, f.Scenario, &got, most, where + words})
	}
}

// countUpTo is how many of the sorted values are at most that.
func countUpTo(values []float64, most float64) int {
	i, _ := slices.BinarySearchFunc(values, most, func(v, most float64) int {
		if v <= most {
			return -1
		}
		return 1
	})
	return i
}

// enough is what must be tolerated of a figure so that enough seeds are within: by itself the least that is within for
// so many of them, and, where other figures exclude other seeds, the most of all.
func (f *Figures) enough(x trait, t Tolerance, must int) float64 {
	within := 0
	for i := range f.Runs {
		ok := true
		for _, o := range traits() {
			values := f.sorted(o.of)
			ok = ok && o.of(&f.Runs[i]) <= max(o.most(t), values[must-1])
		}
		if ok {
			within++
		}
	}
	values := f.sorted(x.of)
	if within >= must {
		return max(values[must-1], values[countUpTo(values, x.most(t))])
	}
	return values[len(values)-1]
}

// excludeByServer holds what the server counted, and what it took, against the tolerance.
func (c *Candidate) excludeByServer(t Tolerance, all []testimony) {
	for _, x := range []struct {
		measure, words string
		digits         int
		most           *float64
		of             func(*report.Row) *float64
	}{
		{measureCalls, "Redis commands a decision", 1, t.MaxCalls,
			func(r *report.Row) *float64 { return r.RedisCallsPerDecision }},
		{measureBytes, "bytes a key", 0, t.MaxBytes, func(r *report.Row) *float64 { return r.BytesPerKey }},
	} {
		for i := range all {
			row := all[i].server
			if x.most == nil || row == nil || x.of(row) == nil || *x.of(row) <= *x.most {
				continue
			}
			where := ""
			if len(all) > 1 {
				where = c.Scenarios[i].Scenario + ": "
			}
			got := x.of(row)
			c.excludeFromBoth(Exclusion{x.measure, c.Scenarios[i].Scenario, got, *x.most,
				where + fmt.Sprintf("%s %s, more than %s", beyond(*got, *x.most, 1, x.digits), x.words,
					decimal(*x.most))})
		}
	}
}

// excludeFromBoth keeps the candidate out of both answers.
func (c *Candidate) excludeFromBoth(x Exclusion) {
	c.ExcludedBy, c.Unpromised = append(c.ExcludedBy, x), append(c.Unpromised, x)
}

// excludeByCost holds the measured cost against the tolerance. What was not measured is not within it.
func (c *Candidate) excludeByCost(t Tolerance) {
	switch {
	case t.MaxServerUS == nil:
	case c.ServerUS == nil:
		c.excludeFromBoth(Exclusion{Measure: measureServerUS, Most: *t.MaxServerUS,
			Words: fmt.Sprintf("its cost was not measured, so that nothing shows it to be at most %s us",
				decimal(*t.MaxServerUS))})
	case *c.ServerUS > *t.MaxServerUS:
		c.excludeFromBoth(Exclusion{Measure: measureServerUS, Got: c.ServerUS, Most: *t.MaxServerUS,
			Words: fmt.Sprintf("%s us of the server a decision, more than %s",
				beyond(*c.ServerUS, *t.MaxServerUS, 1, 1), decimal(*t.MaxServerUS))})
	}
}

// qualifies reports whether the candidate is in the first answer.
func (c *Candidate) qualifies() bool { return len(c.ExcludedBy) == 0 }

// promises reports whether it is in the second.
func (c *Candidate) promises() bool { return len(c.Unpromised) == 0 }
