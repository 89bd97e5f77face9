package recommend

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/sheet"
)

// firstOf says why the first of an answer is before the second; those of one rank are one.
func firstOf(list []*Candidate, by []criterion, rank func(*Candidate) int) []string {
	if len(list) == 0 {
		return []string{}
	}
	second := slices.IndexFunc(list, func(c *Candidate) bool { return rank(c) != rank(list[0]) })
	switch {
	case len(list) == 1:
		return []string{list[0].Algorithm + " is the only one"}
	case second < 0:
		second = 1 // all are one: the cheapest stands for them
	}
	a, b := list[0], list[second]
	for _, c := range by {
		if c.value(a) != c.value(b) {
			return []string{fmt.Sprintf("%s is before %s: %s", a.Algorithm, b.Algorithm, c.words(a, b))}
		}
	}
	return []string{fmt.Sprintf("%s is before %s by its name alone: no cost that is known tells them apart",
		a.Algorithm, b.Algorithm)}
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

// Nearest says what comes nearest of those that do not keep the tolerance here, and what would have to be tolerated; ""
// where all do.
func (d *Document) Nearest() string {
	if c := nearest(d.Candidates); c != nil {
		return c.nearestInWords()
	}
	return ""
}
