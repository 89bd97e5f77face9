package recommend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
)

// mostCheaper is how many cheaper candidates an answer says why not to take; the table has the others.
const mostCheaper = 3

// notTheCheaper says of each candidate that takes less than the first of an answer, and is not in it, which tolerance
// it misses and by how much, the cheapest first. An algorithm has one line, about the variant that comes nearest, and
// so have those that decide alike.
func notTheCheaper(answer []*Candidate, all []Candidate, out func(*Candidate) *Exclusion) []string {
	if len(answer) == 0 {
		return nil
	}
	first := answer[0]
	var cheaper []*Candidate
	for i := range all {
		if c := &all[i]; out(c) != nil && costApart(c, first) != nil {
			cheaper = append(cheaper, c)
		}
	}
	slices.SortStableFunc(cheaper, func(a, b *Candidate) int { return cmp.Compare(out(a).times(), out(b).times()) })
	cheaper = firsts(grouped(cheaper, sameAlgorithm))
	by := cheapest(cheaper)
	slices.SortStableFunc(cheaper, func(a, b *Candidate) int { return before(a, b, by) })
	cheaper = firsts(grouped(cheaper, sameDecisions))
	var lines []string
	for _, c := range cheaper[:min(len(cheaper), mostCheaper)] {
		lines = append(lines, fmt.Sprintf("not %s, though %s: %s", c.Algorithm, costApart(c, first).words(c, first),
			out(c).Words))
	}
	if more := len(cheaper) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("nor %s that would cost less: the tables say what excludes each",
			message.Count(more, "other")))
	}
	return lines
}

// sameAlgorithm reports whether two candidates are one algorithm with other parameters.
func sameAlgorithm(a, b *Candidate) bool { return algorithmOf(a.Algorithm) == algorithmOf(b.Algorithm) }

// algorithmOf is a label without its parameters.
func algorithmOf(label string) string {
	name, _, _ := strings.Cut(label, ":")
	return name
}

// firsts are the first of each group.
func firsts(groups [][]*Candidate) []*Candidate {
	var list []*Candidate
	for _, g := range groups {
		list = append(list, g[0])
	}
	return list
}

// costApart is the weightiest figure of cost known of both by which a is cheaper than b; nil where it is not.
func costApart(a, b *Candidate) *criterion {
	for _, c := range cheapest([]*Candidate{a, b}) {
		switch p, q := c.value(a), c.value(b); {
		case p < q:
			return &c
		case p > q:
			return nil
		}
	}
	return nil
}

// excludedHere is the figure that keeps a candidate out of the first answer, the most let through before any other; nil
// where none does.
func excludedHere(c *Candidate) *Exclusion {
	if c.qualifies() {
		return nil
	}
	if x := c.worstOf(measureOvershoot); x != nil {
		return x
	}
	return c.reason()
}

// unpromised is what keeps it out of the second.
func unpromised(c *Candidate) *Exclusion {
	if c.promises() {
		return nil
	}
	return &c.Unpromised[0]
}
