package report

import (
	"fmt"
	"slices"

	"ratelab/internal/measure"
	"ratelab/internal/sheet"
)

// What Compare compares, and the words in which it names a difference.

// identity is what makes two runs comparable at all.
func (r *Run) identity() []named {
	return []named{
		{"question", r.Question},
		{"seed", fmt.Sprint(r.Seed)},
		{"clock", r.Clock},
		{"limit", r.Limit.String()},
		{"duration_us", sheet.Integer(r.DurationUS)},
		{"keys", sheet.Integer(r.Keys)},
		{"partial", fmt.Sprint(r.Partial)},
	}
}

// decided is everything that follows from the decisions alone, whoever made them.
func decided(r *measure.Result) []named {
	return append(counts(&measure.Figures{Result: *r}), named{"differs_from_exact", sheet.Integer(r.DiffersFromExact)},
		named{"decisions_digest", r.DecisionsDigest})
}

func (e Expectation) text() string {
	met := "not checked"
	if e.Met != nil && *e.Met {
		met = "met"
	} else if e.Met != nil {
		met = "missed"
	}
	return fmt.Sprintf("%s %s %s (%s)", e.Algorithm, e.Measure, e.Want, met)
}

// compareNames names the first scenario or algorithm that only one side has, or the first out of its order.
func (c comparison) compareNames(where, what string, golden, got []string) string {
	for _, name := range golden {
		if !slices.Contains(got, name) {
			return c.differs(where, fmt.Sprintf("%s %q", what, name), "", "present")
		}
	}
	for i, name := range got {
		if !slices.Contains(golden, name) {
			return c.differs(where, fmt.Sprintf("%s %q", what, name), "present", "")
		}
		if i >= len(golden) {
			return c.differs(where, "number of "+what+"s", fmt.Sprint(len(got)), fmt.Sprint(len(golden)))
		}
		if golden[i] != name {
			return c.differs(where, fmt.Sprintf("%s %d", what, i+1), name, golden[i])
		}
	}
	if len(golden) != len(got) {
		return c.differs(where, "number of "+what+"s", fmt.Sprint(len(got)), fmt.Sprint(len(golden)))
	}
	return ""
}

// differs says it in one line; an empty text is an absent value.
func (c comparison) differs(where, name, got, golden string) string {
	if where != "" {
		where += ": "
	}
	return fmt.Sprintf("%s%s is %s, %s says %s", where, name, orAbsent(got), c.golden,
		orAbsent(golden))
}

func orAbsent(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}

func runNames(doc *Document) []string {
	out := make([]string, len(doc.Runs))
	for i := range doc.Runs {
		out[i] = doc.Runs[i].Scenario
	}
	return out
}

func rowNames(r *Run) []string {
	out := make([]string, len(r.Results))
	for i := range r.Results {
		out[i] = r.Results[i].Algorithm
	}
	return out
}
