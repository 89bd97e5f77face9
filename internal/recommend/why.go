package recommend

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
)

// firstOf says why the first of an answer is before the second.
func firstOf(list []*Candidate, by []criterion) []string {
	switch len(list) {
	case 0:
		return []string{}
	case 1:
		return []string{list[0].Algorithm + " is the only one"}
	}
	a, b := list[0], firstOther(list)
	for _, c := range by {
		if c.value(a) != c.value(b) {
			return []string{fmt.Sprintf("%s is before %s: %s", a.Algorithm, b.Algorithm, c.words(a, b))}
		}
	}
	return []string{fmt.Sprintf("%s is before %s by its name alone: no cost that is known tells them apart",
		a.Algorithm, b.Algorithm)}
}

// firstOther is the first after the leader that decides otherwise; where all decide as it does, the second.
func firstOther(list []*Candidate) *Candidate {
	for _, c := range list[1:] {
		if !sameDecisions(list[0], c) {
			return c
		}
	}
	return list[1]
}

// nearest is who comes nearest to the first answer, and what would let it in. The candidates are in their order.
func nearest(all []Candidate) *Candidate {
	var near *Candidate
	for i := range all {
		c := &all[i]
		if !c.qualifies() && (near == nil || c.distance() < near.distance()) {
			near = c
		}
	}
	return near
}

func (c *Candidate) nearestInWords() string {
	var words []string
	for i := range c.ExcludedBy {
		if x := &c.ExcludedBy[i]; c.worstOf(x.Measure) == x {
			words = append(words, x.Words)
		}
	}
	line := fmt.Sprintf("the nearest of those that do not keep it is %s: %s", c.Algorithm, strings.Join(words, "; "))
	if remedy := c.remedy(); remedy != "" {
		line += "; it would be in with " + remedy
	}
	return line
}

// worstOf is the exclusion by a measure that is furthest beyond the tolerance.
func (c *Candidate) worstOf(measure string) *Exclusion {
	var worst *Exclusion
	for i := range c.ExcludedBy {
		if x := &c.ExcludedBy[i]; x.Measure == measure && (worst == nil || x.times() > worst.times()) {
			worst = x
		}
	}
	return worst
}

// finding says in a sentence what the two answers' difference is about; "" where there is none.
func finding(here, anywhere []*Candidate) string {
	switch {
	case len(here) == 0 && len(anywhere) == 0:
		return ""
	case len(anywhere) == 0:
		return fmt.Sprintf("%s keeps the tolerance on this traffic, and no candidate promises to on any",
			here[0].Algorithm)
	case len(here) == 0:
		return fmt.Sprintf("nobody keeps the tolerance on this traffic; %s promises to let through no more on any, "+
			"and its price here is a shortfall of %s", anywhere[0].Algorithm, anywhere[0].Shortfall.inWords())
	}
	a, b := here[0], anywhere[0]
	if a.Algorithm == b.Algorithm {
		return ""
	}
	switch {
	case !a.promises():
		return fmt.Sprintf("the answers differ: on this traffic %s will do, but %s; %s promises at most %s x, at the "+
			"price of %s", a.Algorithm, a.Unpromised[0].Words, b.Algorithm, sheet.Times(b.Promise.Ratio), price(a, b))
	case !b.qualifies():
		return fmt.Sprintf("the answers differ: %s keeps the tolerance here and promises to on any traffic; what is "+
			"before it there, %s, has the price of %s", a.Algorithm, b.Algorithm, price(a, b))
	}
	return fmt.Sprintf("the answers differ in their order alone: %s and %s are in both", a.Algorithm, b.Algorithm)
}

// price is what b costs more than a.
func price(a, b *Candidate) string {
	text := fmt.Sprintf("a shortfall of %s here", b.Shortfall.inWords())
	if p, q := a.CallsAdmitting, b.CallsAdmitting; p != nil && q != nil && *p != *q {
		instead, takes := apartBy(*p, *q)
		text += fmt.Sprintf(", and %s Redis commands to admit a request instead of %s", takes, instead)
	}
	return text
}

// inWords is a share over all seeds.
func (s Spread) inWords() string {
	median, least, most := sheet.Percent(s.Median), sheet.Percent(s.Least), sheet.Percent(s.Most)
	if least == most {
		return median
	}
	return fmt.Sprintf("%s (%s to %s)", median, least, most)
}

// exactByDefinition is the line that says who cannot but keep a contract.
func exactByDefinition(c limit.Contract) string {
	if c == limit.ByBucket {
		return "under the bucket's contract gcra and token-bucket with the limit's burst are exact by definition: " +
			"the question is who else keeps it, for less"
	}
	return "under the window's contract sliding-window-log is exact by definition: the question is who else keeps " +
		"it, for less"
}

// inWords says what the contract that was not asked for would choose.
func (o *OtherContract) inWords() string {
	name := func(first string) string {
		if first == "" {
			return "nobody"
		}
		return first
	}
	return fmt.Sprintf("nobody named a contract, so the window's decides; --contract %s would choose %s on this "+
		"traffic, %s on any", o.Contract, name(o.OnThisTraffic), name(o.OnAnyTraffic))
}

// ties groups the candidates that took the same decisions everywhere, and let go at the same moments, in their order.
func ties(all []Candidate) []Tie {
	groups := []Tie{}
	explained := make([]bool, len(all))
	for i := range all {
		group := []string{all[i].Algorithm}
		for k := i + 1; k < len(all) && !explained[i]; k++ {
			if !explained[k] && sameDecisions(&all[i], &all[k]) {
				group, explained[k] = append(group, all[k].Algorithm), true
			}
		}
		if len(group) > 1 {
			groups = append(groups, Tie{group})
		}
	}
	return groups
}

// sameDecisions reports whether two candidates decide, and let go, alike with every seed.
func sameDecisions(a, b *Candidate) bool {
	return slices.EqualFunc(a.Scenarios, b.Scenarios, func(f, g Figures) bool {
		return f.Scenario == g.Scenario && slices.EqualFunc(f.Runs, g.Runs, func(p, q Played) bool {
			return p.DecisionsDigest == q.DecisionsDigest && (p.DelayUS == nil) == (q.DelayUS == nil) &&
				(p.DelayUS == nil || *p.DelayUS == *q.DelayUS)
		})
	})
}

// Nearest says what comes nearest of those that do not keep the tolerance here, and what would have to be tolerated; ""
// where all do.
func (d *Document) Nearest() string {
	if c := nearest(d.Candidates); c != nil {
		return c.nearestInWords()
	}
	return ""
}
