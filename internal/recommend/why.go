package recommend

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/sheet"
)

// why says why the first is before the second, or what comes nearest where none qualifies. The candidates are in their
// order.
func why(all []Candidate, prefer string, several bool) []string {
	lines := []string{}
	qualified := slices.IndexFunc(all, func(c Candidate) bool { return !c.Qualifies })
	if qualified < 0 {
		qualified = len(all)
	}
	if qualified > 0 && several {
		lines = append(lines, all[0].worstInWords())
	}
	if qualified > 1 {
		lines = append(lines, comparison(&all[0], firstOther(all[:qualified]), prefer))
	}
	if qualified == 1 {
		lines = append(lines, all[0].Algorithm+" is the only one that qualifies")
	}
	if qualified < len(all) {
		lines = append(lines, nearest(&all[qualified]))
	}
	return lines
}

// firstOther is the first after the leader that decides otherwise; where all decide as it does, the second.
func firstOther(all []Candidate) *Candidate {
	for i := range all[1:] {
		if !sameDecisions(&all[0], &all[i+1]) {
			return &all[i+1]
		}
	}
	return &all[1]
}

func comparison(a, b *Candidate, prefer string) string {
	for _, c := range criteria(prefer) {
		if c.value(a) != c.value(b) {
			return fmt.Sprintf("%s is before %s: %s", a.Algorithm, b.Algorithm, c.words(a, b))
		}
	}
	return fmt.Sprintf("%s is before %s by its name alone: no figure tells them apart", a.Algorithm, b.Algorithm)
}

func (c *Candidate) worstInWords() string {
	return fmt.Sprintf("the worst of %s: %s x the limit in %s, %s rejected wrongly in %s", c.Algorithm,
		trimmed(c.Overshoot.Value,
			4), c.Overshoot.Scenario, sheet.Percent(c.FalseRejects.Value), c.FalseRejects.Scenario)
}

func nearest(c *Candidate) string {
	var words []string
	for i := range c.ExcludedBy {
		if x := &c.ExcludedBy[i]; c.worstOf(x.Measure) == x {
			words = append(words, x.Words)
		}
	}
	line := fmt.Sprintf("the nearest of those that do not qualify is %s: %s", c.Algorithm, strings.Join(words, "; "))
	if remedy := c.remedy(); remedy != "" {
		line += "; it would qualify with " + remedy
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

// ties groups the candidates that took the same decisions everywhere, in their order.
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

func sameDecisions(a, b *Candidate) bool {
	return slices.EqualFunc(a.Scenarios, b.Scenarios, func(f, g Figures) bool {
		return f.Scenario == g.Scenario && f.DecisionsSHA256 == g.DecisionsSHA256
	})
}

// Nearest says what comes nearest of those that do not qualify, and what would have to be tolerated; "" where all do.
func (d *Document) Nearest() string {
	for i := range d.Candidates {
		if !d.Candidates[i].Qualifies {
			return nearest(&d.Candidates[i])
		}
	}
	return ""
}
