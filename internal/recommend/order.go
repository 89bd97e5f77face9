package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Preferences are the orders in which those who qualify can be ranked, the default first.
func Preferences() []string { return []string{"balanced", "strict", "generous", "cheap"} }

// criterion is one figure by which two candidates are ordered: the smaller comes first.
type criterion struct {
	value func(*Candidate) float64
	words func(first, second *Candidate) string // why the first is before the second
}

var (
	fewestFalseRejects = criterion{
		func(c *Candidate) float64 { return c.FalseRejects.Value },
		func(a, b *Candidate) string {
			less, more := apart(a.FalseRejects.Value, b.FalseRejects.Value)
			return fmt.Sprintf("it rejects %s of the requests wrongly, %s %s", less, b.Algorithm, more)
		},
	}
	fewestFalseAdmits = criterion{
		func(c *Candidate) float64 { return c.FalseAdmits.Value },
		func(a, b *Candidate) string {
			less, more := apart(a.FalseAdmits.Value, b.FalseAdmits.Value)
			return fmt.Sprintf("it admits %s of the requests wrongly, %s %s", less, b.Algorithm, more)
		},
	}
	// leastOvershoot counts what is above the limit: to stay further below it is no merit.
	leastOvershoot = criterion{
		func(c *Candidate) float64 { return max(c.Overshoot.Value, 1) },
		func(a, b *Candidate) string {
			return fmt.Sprintf("its highest window is %s x the limit, that of %s %s", trimmed(a.Overshoot.Value, 4),
				b.Algorithm, trimmed(b.Overshoot.Value, 4))
		},
	}
	// leastPromised is about the traffic that was not tried.
	leastPromised = criterion{
		func(c *Candidate) float64 {
			if c.Promise == nil {
				return math.Inf(1)
			}
			return c.Promise.Value
		},
		func(a, b *Candidate) string {
			if b.Promise == nil {
				return fmt.Sprintf("whatever the traffic, it admits at most %s x the limit in a window, and %s "+
					"promises nothing", trimmed(a.Promise.Value, 4), b.Algorithm)
			}
			return fmt.Sprintf("whatever the traffic, it admits at most %s x the limit in a window, %s %s",
				trimmed(a.Promise.Value, 4), b.Algorithm, trimmed(b.Promise.Value, 4))
		},
	}
	mostUsed = criterion{
		func(c *Candidate) float64 { return -c.Utilization.Value },
		func(a, b *Candidate) string {
			more, less := apart(a.Utilization.Value, b.Utilization.Value)
			return fmt.Sprintf("%s of the limit is used with it, %s with %s", more, less, b.Algorithm)
		},
	}
	leastServerTime = criterion{
		func(c *Candidate) float64 { return orInfinity(c.ServerUS) },
		func(a, b *Candidate) string {
			if b.ServerUS == nil {
				return fmt.Sprintf("its cost was measured, that of %s was not", b.Algorithm)
			}
			return fmt.Sprintf("it takes %s us of the server a decision, %s %s", trimmed(*a.ServerUS, 2), b.Algorithm,
				trimmed(*b.ServerUS, 2))
		},
	}
	fewestCalls = criterion{
		func(c *Candidate) float64 {
			if c.RedisCalls == nil {
				return math.Inf(1)
			}
			return c.RedisCalls.Value
		},
		func(a, b *Candidate) string {
			if b.RedisCalls == nil {
				return fmt.Sprintf("its Redis calls were counted, those of %s were not", b.Algorithm)
			}
			return fmt.Sprintf("it makes %s Redis calls a decision, %s %s", trimmed(a.RedisCalls.Value, 2), b.Algorithm,
				trimmed(b.RedisCalls.Value, 2))
		},
	}
)

func orInfinity(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}

// criteria are those of a preference, the weightiest first. Where all are equal the name decides.
func criteria(prefer string) []criterion {
	switch prefer {
	case "strict":
		return []criterion{leastOvershoot, fewestFalseAdmits, fewestFalseRejects, leastPromised, leastServerTime,
			fewestCalls}
	case "generous":
		return []criterion{fewestFalseRejects, mostUsed, leastOvershoot, leastPromised, leastServerTime, fewestCalls}
	case "cheap":
		return []criterion{leastServerTime, fewestCalls, fewestFalseRejects, leastOvershoot, leastPromised}
	}
	return []criterion{fewestFalseRejects, leastOvershoot, leastPromised, leastServerTime, fewestCalls}
}

// OrderInWords says by what a preference orders.
func OrderInWords(prefer string) string {
	switch prefer {
	case "strict":
		return "least overshoot first, then fewest false admits, fewest false rejects, least promised, least cost, name"
	case "generous":
		return "fewest false rejects first, then most used, least overshoot, least promised, least cost, name"
	case "cheap":
		return "least cost first, then fewest false rejects, least overshoot, least promised, name"
	}
	return "fewest false rejects first, then least overshoot, least promised, least cost, name"
}

// order puts those who qualify first, by the preference, then the others, the nearest first, and numbers the former.
func order(all []Candidate, prefer string) {
	by := criteria(prefer)
	slices.SortStableFunc(all, func(a, b Candidate) int {
		switch {
		case a.Qualifies != b.Qualifies:
			return map[bool]int{true: -1, false: 1}[a.Qualifies]
		case a.Qualifies:
			return before(&a, &b, by)
		}
		return cmp.Or(cmp.Compare(a.distance(), b.distance()), cmp.Compare(len(a.ExcludedBy), len(b.ExcludedBy)),
			before(&a, &b, by))
	})
	for i := range all {
		if all[i].Rank = 0; all[i].Qualifies {
			all[i].Rank = i + 1
		}
	}
}

func before(a, b *Candidate, by []criterion) int {
	for _, c := range by {
		if n := cmp.Compare(c.value(a), c.value(b)); n != 0 {
			return n
		}
	}
	return strings.Compare(a.Algorithm, b.Algorithm)
}

// distance is how many times as much as is tolerated a candidate takes, in the measure in which that is most.
func (c *Candidate) distance() float64 {
	most := 0.0
	for _, x := range c.ExcludedBy {
		most = max(most, x.times())
	}
	return most
}

// times is how many times as much as is tolerated.
func (x *Exclusion) times() float64 {
	switch {
	case x.Got == nil:
		return math.Inf(1)
	case x.Most == 0:
		// of nothing everything is infinitely more; the figure itself still tells near from far
		return 1e9 * (1 + *x.Got)
	}
	return *x.Got / x.Most
}

// remedy is what the command line would have to allow for c to qualify; "" where nothing would do.
func (c *Candidate) remedy() string {
	needed := map[string]float64{}
	var measures []string
	for _, x := range c.ExcludedBy {
		if x.Got == nil {
			return ""
		}
		if _, known := needed[x.Measure]; !known {
			measures = append(measures, x.Measure)
		}
		needed[x.Measure] = max(needed[x.Measure], *x.Got)
	}
	var flags []string
	for _, m := range measures {
		flags = append(flags, flagFor(m, needed[m]))
	}
	return strings.Join(flags, " ")
}
