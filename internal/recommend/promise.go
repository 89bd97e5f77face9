package recommend

import (
	"fmt"
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/sheet"
	"ratelab/internal/worst"
)

// promise reads what the candidate promises in each scenario, and notes what keeps it out of the second answer. Who
// promises nothing somewhere promises nothing.
func (c *Candidate) promise(all []testimony, t Tolerance) {
	c.Promise = nil
	for i := range all {
		p := all[i].seeds[0].promise()
		if p == nil {
			c.Promise = nil
			c.Unpromised = append(c.Unpromised, Exclusion{Measure: measurePromise, Most: t.MaxOvershoot,
				Words: "it promises nothing"})
			break
		}
		if c.Promise == nil || p.Ratio > c.Promise.Ratio {
			c.Promise = p
		}
	}
	if p := c.Promise; p != nil && p.Ratio > t.MaxOvershoot {
		got := p.Ratio
		c.Unpromised = append(c.Unpromised, Exclusion{measurePromise, p.Scenario, &got, t.MaxOvershoot,
			fmt.Sprintf("promises at most %s x %s, more than %s", beyond(got, t.MaxOvershoot, 1, 2),
				allowance(all[0].seeds[0].run.Limit.Contract), decimal(t.MaxOvershoot))})
	}
	for i := range all {
		if d := all[i].seeds[0].mayDelay(); d != nil && (c.DelaysUS == nil || *d > *c.DelaysUS) {
			c.DelaysUS = d
		}
	}
	if d := c.DelaysUS; d != nil && *d > t.MaxDelayUS {
		got := float64(*d)
		c.Unpromised = append(c.Unpromised, Exclusion{measureDelay, "", &got, float64(t.MaxDelayUS),
			fmt.Sprintf("it may delay what it admits by up to %s, more than %s", sheet.Span(*d),
				sheet.Span(t.MaxDelayUS))})
	}
}

// promise is the row's own bound in the interval in which it is the largest multiple of what the contract allows: by
// the window's contract the window, by the bucket's any of the time scales. nil: it has none.
func (e evidence) promise() *Promise {
	scales := e.run.TimeScales
	if scales == nil || len(e.row.Bound) != len(scales.IntervalUS) || len(scales.Limit) != len(scales.IntervalUS) {
		return nil
	}
	var p *Promise
	for i, us := range scales.IntervalUS {
		bound, allowed := e.row.Bound[i], scales.Limit[i]
		if allowed < 1 || e.run.Limit.Contract == limit.ByWindow && us != e.run.Limit.WindowUS {
			continue
		}
		if ratio := float64(bound) / float64(allowed); p == nil || ratio > p.Ratio {
			p = &Promise{Ratio: ratio, Scenario: e.run.Scenario, IntervalUS: us, Bound: bound, Allowed: allowed}
		}
	}
	return p
}

// mayDelay is how long a shaper may delay what it admits, whatever the traffic: the last place in a full queue,
// (B − 1)·W/L. nil: it is none.
func (e evidence) mayDelay() *int64 {
	if e.own {
		return nil
	}
	choice, err := algorithms.Parse(e.row.Algorithm)
	if err != nil || choice.Spec.Family != "shaper" {
		return nil
	}
	own := choice.Policy(e.run.Limit.Policy())
	burst := own.Capacity()
	if text, ok := algorithms.InRole(algorithms.Capacity, e.row.Algorithm, e.row.Parameters); ok {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			burst = n
		}
	}
	us := float64(burst-1) * float64(own.WindowUS()) / float64(own.Requests)
	whole := int64(us)
	if float64(whole) < us {
		whole++
	}
	return &whole
}

// DefaultSearch is how many decisions of a model the search for the worst traffic of one candidate may take: enough for
// a hundred floods of a thousand, a fraction of a second.
const DefaultSearch = 200_000

// search looks for the worst traffic of those who promise to be within the tolerance, and notes what it found beside
// the promise. It is an error if the promise does not hold.
func (t *trial) search(all []Candidate) error {
	for i := range all {
		c := &all[i]
		if c.Promise == nil || len(c.Unpromised) > 0 {
			continue
		}
		found, err := t.worstOf(c)
		if err != nil {
			return err
		}
		c.Promise.Found = found
		if found != nil && *found > c.Promise.Bound {
			return fmt.Errorf("%s, %s: the search for the worst traffic finds %d in %s, more than the %d that it "+
				"promises; nothing can be recommended", c.Promise.Scenario, c.Algorithm, *found,
				sheet.Span(c.Promise.IntervalUS), c.Promise.Bound)
		}
	}
	return nil
}

// worstOf is the most that the search gets out of the candidate's model in the interval of its promise; nil where there
// is no model to ask, where several gateways decide, which the search does not attack, and of a shaper, whose promise
// is about what leaves: the search is about what is admitted.
func (t *trial) worstOf(c *Candidate) (*int64, error) {
	key := fmt.Sprint(c.Algorithm, " ", c.Promise.Scenario, " ", c.Promise.IntervalUS)
	if most, known := t.searched[key]; known {
		return &most, nil
	}
	choice, ok := t.choiceIn(c.Algorithm, c.Promise.Scenario)
	if !ok || t.Search < 1 {
		return nil, nil
	}
	for _, s := range t.Scenarios {
		if s.Name != c.Promise.Scenario {
			continue
		}
		policy := lineup.NewContest(s, t.Instead).Policy
		choice, err := choice.WithDefaults(s.Parameters[choice.Spec.Name])
		if err != nil {
			return nil, err
		}
		in, err := choice.Instance(policy)
		if err != nil || in.MostAdmitted == nil || in.MostDeparting != nil || in.Gateways != nil {
			return nil, err
		}
		problem := worst.Problem{Instance: in, Policy: policy, WithinUS: c.Promise.IntervalUS,
			LargestCost: max(1, t.draws[s.Name].largestCost), Budget: t.Search, Seed: worst.DefaultSeed}
		most := problem.Search().Most
		t.searched[key] = most
		return &most, nil
	}
	return nil, nil
}
