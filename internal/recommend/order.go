package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ratelab/algorithms"
)

// Preferences are the orders in which those who qualify can be ranked, the default first.
func Preferences() []string { return []string{"cheap", "strict", "generous"} }

// criterion is one figure by which two candidates are ordered: the smaller comes first.
type criterion struct {
	value func(*Candidate) float64
	words func(first, second *Candidate) string // why the first is before the second
}

var (
	leastShortfall = criterion{
		func(c *Candidate) float64 { return c.Shortfall.Median },
		func(a, b *Candidate) string {
			less, more := apart(a.Shortfall.Median, b.Shortfall.Median)
			return fmt.Sprintf("it falls short of an exact limiter by %s, %s by %s", less, b.Algorithm, more)
		},
	}
	leastExcess = criterion{
		func(c *Candidate) float64 { return c.Excess.Median },
		func(a, b *Candidate) string {
			less, more := apart(a.Excess.Median, b.Excess.Median)
			return fmt.Sprintf("%s of what it admits is beyond the contract, of %s %s", less, b.Algorithm, more)
		},
	}
	// leastOvershoot counts what is above the contract: to stay further below it is no merit.
	leastOvershoot = criterion{
		func(c *Candidate) float64 { return max(c.Overshoot.Median, 1) },
		func(a, b *Candidate) string {
			return fmt.Sprintf("it lets through at most %s x what the contract allows, %s %s",
				trimmed(a.Overshoot.Median, 4), b.Algorithm, trimmed(b.Overshoot.Median, 4))
		},
	}
	leastPromised = criterion{
		func(c *Candidate) float64 {
			if c.Promise == nil {
				return math.Inf(1)
			}
			return max(c.Promise.Ratio, 1)
		},
		func(a, b *Candidate) string {
			return fmt.Sprintf("it promises at most %s x what the contract allows, %s %s", trimmed(a.Promise.Ratio, 4),
				b.Algorithm, trimmed(b.Promise.Ratio, 4))
		},
	}
	fewestAdmitting = criterion{
		func(c *Candidate) float64 { return *c.CallsAdmitting },
		func(a, b *Candidate) string {
			less, more := apartBy(*a.CallsAdmitting, *b.CallsAdmitting)
			return fmt.Sprintf("it takes %s Redis commands to admit a request, %s %s", less, b.Algorithm, more)
		},
	}
	fewestRejecting = criterion{
		func(c *Candidate) float64 { return *c.CallsRejecting },
		func(a, b *Candidate) string {
			less, more := apartBy(*a.CallsRejecting, *b.CallsRejecting)
			return fmt.Sprintf("it takes %s Redis commands to reject a request, %s %s", less, b.Algorithm, more)
		},
	}
	fewestBytes = criterion{
		func(c *Candidate) float64 { return *c.BytesPerKey },
		func(a, b *Candidate) string {
			less, more := apartBy(*a.BytesPerKey, *b.BytesPerKey)
			return fmt.Sprintf("it takes %s bytes a key, %s %s", less, b.Algorithm, more)
		},
	}
	fewestTries = criterion{
		func(c *Candidate) float64 { return c.Amplification.Median },
		func(a, b *Candidate) string {
			less, more := apartBy(a.Amplification.Median, b.Amplification.Median)
			return fmt.Sprintf("its clients try %s times for a success, those of %s %s", less, b.Algorithm, more)
		},
	}
	fewestPerSuccess = criterion{
		func(c *Candidate) float64 { return *c.CallsPerSuccess },
		func(a, b *Candidate) string {
			less, more := apartBy(*a.CallsPerSuccess, *b.CallsPerSuccess)
			return fmt.Sprintf("a success takes %s Redis commands, with all its tries, of %s %s", less, b.Algorithm,
				more)
		},
	}
	fewestInstructions = criterion{
		func(c *Candidate) float64 { return *c.Instructions },
		func(a, b *Candidate) string {
			return fmt.Sprintf("it takes %.0f instructions a decision, %s %.0f", *a.Instructions, b.Algorithm,
				*b.Instructions)
		},
	}
	leastServerTime = criterion{
		func(c *Candidate) float64 { return *c.ServerUS },
		func(a, b *Candidate) string {
			less, more := apartBy(*a.ServerUS, *b.ServerUS)
			return fmt.Sprintf("it takes %s us of the server a decision, %s %s", less, b.Algorithm, more)
		},
	}
)

// cheapest are the figures of cost that are known of all candidates.
func cheapest(all []*Candidate) []criterion {
	var by []criterion
	for _, x := range []struct {
		known func(*Candidate) bool
		criterion
	}{
		{func(c *Candidate) bool { return c.CallsPerSuccess != nil }, fewestPerSuccess},
		{func(c *Candidate) bool { return c.Instructions != nil }, fewestInstructions},
		{func(c *Candidate) bool { return c.CallsAdmitting != nil }, fewestAdmitting},
		{func(c *Candidate) bool { return c.CallsRejecting != nil }, fewestRejecting},
		{func(c *Candidate) bool { return c.BytesPerKey != nil }, fewestBytes},
		{func(c *Candidate) bool { return c.ServerUS != nil }, leastServerTime},
		{func(c *Candidate) bool { return c.Amplification != nil }, fewestTries},
	} {
		if !slices.ContainsFunc(all, func(c *Candidate) bool { return !x.known(c) }) {
			by = append(by, x.criterion)
		}
	}
	return by
}

// criteria are those of a preference for the candidates of one answer, the weightiest first. Where all are equal the
// name decides. On any traffic the promise stands in the place of what was let through.
func criteria(prefer string, all []*Candidate, anyTraffic bool) []criterion {
	first, over := []criterion{}, []criterion{leastOvershoot, leastExcess}
	if anyTraffic {
		first, over = []criterion{largestBurst(all)}, []criterion{leastPromised}
	}
	switch prefer {
	case "strict":
		return slices.Concat(first, over, []criterion{leastShortfall}, cheapest(all))
	case "generous":
		return slices.Concat(first, []criterion{leastShortfall}, cheapest(all))
	}
	return slices.Concat(first, cheapest(all))
}

// largestBurst puts those buckets last that are in the answer beside one with a larger burst: to promise less than is
// asked for is no merit.
func largestBurst(all []*Candidate) criterion {
	var largest *Candidate
	for _, c := range all {
		if c.isBucket() && (largest == nil || *c.Scenarios[0].Burst > *largest.Scenarios[0].Burst) {
			largest = c
		}
	}
	return criterion{
		func(c *Candidate) float64 {
			if c.isBucket() && *c.Scenarios[0].Burst < *largest.Scenarios[0].Burst {
				return 1
			}
			return 0
		},
		func(_, b *Candidate) string {
			return fmt.Sprintf("%s has a smaller burst than %s, which promises as much as is asked for", b.Algorithm,
				largest.Algorithm)
		},
	}
}

// isBucket reports whether the candidate is an algorithm that takes a burst.
func (c *Candidate) isBucket() bool {
	if c.Scenarios[0].Burst == nil {
		return false
	}
	choice, err := algorithms.Parse(c.Scenarios[0].Algorithm)
	return err == nil && choice.Spec.InRole(algorithms.Capacity) != nil
}

// OrderInWords says by what a preference orders.
func OrderInWords(prefer string) string {
	const cost = "fewest Redis commands to admit a request, then to reject one, then fewest bytes a key and least of " +
		"the server's time, where these are known of all, then name; on any traffic a bucket beside one with a " +
		"larger burst is last"
	switch prefer {
	case "strict":
		return "least let through (on any traffic: promised) first, then least excess, least shortfall, then " + cost
	case "generous":
		return "least shortfall first, then " + cost
	}
	return cost
}

// order ranks those of the first answer and those of the second, by the preference, and sorts: the first answer's, then
// those that are in the second alone, then the others, the nearest first.
func order(all []Candidate, prefer string) {
	here := rank(all, (*Candidate).qualifies, func(c *Candidate) *int { return &c.RankOnThisTraffic },
		func(among []*Candidate) []criterion { return criteria(prefer, among, false) }, sameDecisions)
	anywhere := rank(all, (*Candidate).promises, func(c *Candidate) *int { return &c.RankOnAnyTraffic },
		func(among []*Candidate) []criterion { return criteria(prefer, among, true) }, samePromise)
	place := func(answer []string, c *Candidate) int {
		if i := slices.Index(answer, c.Algorithm); i >= 0 {
			return i
		}
		return len(all)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(place(here, &a), place(here, &b)),
			cmp.Compare(place(anywhere, &a), place(anywhere, &b)),
			cmp.Compare(a.distance(), b.distance()), cmp.Compare(len(a.ExcludedBy), len(b.ExcludedBy)),
			cmp.Compare(a.Shortfall.Median, b.Shortfall.Median), strings.Compare(a.Algorithm, b.Algorithm))
	})
}

// rank numbers those who are in an answer, and names them in their order: those that are alike in it are one, and have
// the number of the first of them, which is the cheapest.
func rank(all []Candidate, in func(*Candidate) bool, number func(*Candidate) *int,
	criteria func([]*Candidate) []criterion, alike func(a, b *Candidate) bool) []string {
	var among []*Candidate
	for i := range all {
		if *number(&all[i]) = 0; in(&all[i]) {
			among = append(among, &all[i])
		}
	}
	by := criteria(among)
	slices.SortStableFunc(among, func(a, b *Candidate) int { return before(a, b, by) })
	var labels []string
	for i, group := range grouped(among, alike) {
		for _, c := range group {
			*number(c) = i + 1
			labels = append(labels, c.Algorithm)
		}
	}
	return labels
}

func before(a, b *Candidate, by []criterion) int {
	for _, c := range by {
		if n := cmp.Compare(c.value(a), c.value(b)); n != 0 {
			return n
		}
	}
	return strings.Compare(a.Algorithm, b.Algorithm)
}

// onThisTraffic are those of the first answer, and onAnyTraffic those of the second, by rank.
func onThisTraffic(all []Candidate) []*Candidate {
	return ranked(all, rankHere)
}

func onAnyTraffic(all []Candidate) []*Candidate {
	return ranked(all, rankAnywhere)
}

func rankHere(c *Candidate) int { return c.RankOnThisTraffic }

func rankAnywhere(c *Candidate) int { return c.RankOnAnyTraffic }

func ranked(all []Candidate, rank func(*Candidate) int) []*Candidate {
	var list []*Candidate
	for i := range all {
		if rank(&all[i]) > 0 {
			list = append(list, &all[i])
		}
	}
	by := cheapest(list) // of those of one rank: in all else they are the same
	slices.SortStableFunc(list, func(a, b *Candidate) int { return cmp.Or(rank(a)-rank(b), before(a, b, by)) })
	return list
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

// remedy is what the command line would have to allow for c to be in the first answer; "" where nothing would do.
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
