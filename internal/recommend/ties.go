package recommend

import (
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// grouped are the candidates of a list by what makes them alike, each group at its first one's place.
func grouped(list []*Candidate, alike func(a, b *Candidate) bool) [][]*Candidate {
	var groups [][]*Candidate
	for _, c := range list {
		i := slices.IndexFunc(groups, func(g []*Candidate) bool { return alike(g[0], c) })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], c)
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

// samePromise reports whether two of the second answer are one there: traffic at hand cannot show that they are alike
// on any, so that their promise and their burst must be the same as well.
func samePromise(a, b *Candidate) bool {
	return sameDecisions(a, b) && a.Promise.Ratio == b.Promise.Ratio && a.burst() == b.burst()
}

// ties are the candidates that took the same decisions everywhere, and let go at the same moments, in their order.
func ties(all []Candidate) []Tie {
	ties := []Tie{}
	var list []*Candidate
	for i := range all {
		list = append(list, &all[i])
	}
	for _, group := range grouped(list, sameDecisions) {
		if len(group) > 1 {
			ties = append(ties, Tie{labelsOf(group)})
		}
	}
	return ties
}

func labelsOf(list []*Candidate) []string {
	labels := []string{}
	for _, c := range list {
		labels = append(labels, c.Algorithm)
	}
	return labels
}

// alikeInWords says how many others of an answer are one with its first; "" where none is. The list is by rank.
func alikeInWords(list []*Candidate, rank func(*Candidate) int) string {
	others := int64(-1) // the first itself
	for _, c := range list {
		if rank(c) == rank(list[0]) {
			others++
		}
	}
	switch others {
	case 0:
		return ""
	case 1:
		return "; 1 other decides alike"
	}
	return "; " + message.Count(others, "other") + " decide alike"
}

// alikeMark stands before the name of a candidate that is one with the one above it, and alikeNote says so.
const (
	alikeMark = "= "
	alikeNote = "=: decides every request of this traffic as the row above; what it promises and takes is its own"
)

// groupRows are the lines of a group in a table: all that is said of the first, and of each other one its name and what
// is its own. The cells before the name, and those that are not own, are blank then.
func groupRows(group []*Candidate, own []bool, cells func(*Candidate) []string) []sheet.TableRow {
	var rows []sheet.TableRow
	name := slices.Index(own, true)
	for i, c := range group {
		line := sheet.Cells(cells(c)...)
		if i > 0 {
			for k := range line {
				if !own[k] {
					line[k] = sheet.Cell{}
				}
			}
			line[name].Text = alikeMark + line[name].Text
		}
		rows = append(rows, sheet.TableRow{Cells: line})
	}
	return rows
}

// hasAlike reports whether any line of a table has the mark.
func hasAlike(t sheet.Table) bool {
	return slices.ContainsFunc(t.Rows, func(r sheet.TableRow) bool {
		return slices.ContainsFunc(r.Cells, func(c sheet.Cell) bool { return strings.HasPrefix(c.Text, alikeMark) })
	})
}
