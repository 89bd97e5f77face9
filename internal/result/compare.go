package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ratelab/internal/measure"
)

// Named is a figure as text, with its name in the JSON document. What was not measured has no text.
type Named struct{ Name, Text string }

// Counts are what every row and the reference have, in the order of the JSON document.
func Counts(f *measure.Figures) []Named { return written(f, measure.DecisionMeasures) }

// Extras are the measures that depend on what decided: a script, a real server.
func Extras(f *measure.Figures) []Named { return written(f, measure.CostMeasures) }

func written(f *measure.Figures, about *measure.Subject) []Named {
	var list []Named
	for _, m := range about.Within(measure.Written) {
		n := Named{Name: m.Name}
		if v := m.Value(f); v.Known {
			n.Text = decimal(v.Number)
		}
		list = append(list, n)
	}
	return list
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Rates stand alone: they are shares, and no counts.
func Rates(f *measure.Figures) []Named { return written(f, measure.RateMeasures) }

// Composites are the figures of several numbers, each as compact JSON.
func Composites(f *measure.Figures) []Named {
	return []Named{
		{"most_admitted", compact(f.MostAdmitted, f.MostAdmitted == nil)},
		{"bound", compact(f.Bound, f.Bound == nil)},
		{"shaping", compact(f.Shaping, f.Shaping == nil)},
		{"fairness", compact(f.Fairness, f.Fairness == nil)},
		{"clients", compact(f.Clients, f.Clients == nil)},
		{"clock_effect", compact(f.ClockEffect, f.ClockEffect == nil)},
		{"race", compact(f.Race, f.Race == nil)},
		{"local_flag", compact(f.LocalFlag, f.LocalFlag == nil)},
	}
}

func compact(v any, absent bool) string {
	if absent {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and names
	}
	return string(text)
}

// Compare names the first difference between a committed result and a new one, in the order of the document, or reports
// that they are equal. The tool's version, the server and the notes make none: the same decisions must come from every
// server. Measures that not every server gives (bytes_per_key, or any that one side left out) count only where both
// sides ran on the same kind, name and version; a script's hash does not count where one side ran the models, which
// have no script. name is what the committed result is called.
func Compare(golden, got *Document, name string) (difference string, equal bool) {
	c := comparison{golden: name}
	c.texts("", "schema_version", fmt.Sprint(golden.SchemaVersion), fmt.Sprint(got.SchemaVersion))
	nameOf := func(r *Run) string { return r.Scenario }
	c.names("", "scenario", namesOf(golden.Runs, nameOf), namesOf(got.Runs, nameOf))
	for i := 0; i < len(golden.Runs) && c.found == ""; i++ {
		c.runs(&golden.Runs[i], &got.Runs[i])
	}
	return c.found, c.found == ""
}

// comparison is with the committed result of that name. The first difference that it finds stays.
type comparison struct{ golden, found string }

func (c *comparison) runs(golden, got *Run) {
	where := got.Scenario
	c.lists(where, golden.identity(), got.identity())
	nameOf := func(r *Row) string { return r.Algorithm }
	c.names(where, "algorithm", namesOf(golden.Results, nameOf), namesOf(got.Results, nameOf))
	for i := 0; i < len(golden.Results) && c.found == ""; i++ {
		c.rows(golden, got, i)
	}
	switch a, b := golden.Reference, got.Reference; {
	case a != nil && b != nil:
		c.lists(where+", "+ReferenceLabel, decided(a), decided(b))
	case a != nil:
		c.texts(where, ReferenceLabel, "present", "")
	case b != nil:
		c.texts(where, ReferenceLabel, "", "present")
	}
	c.texts(where, "number of expectations", fmt.Sprint(len(golden.Expectations)), fmt.Sprint(len(got.Expectations)))
	for i := 0; i < len(golden.Expectations) && c.found == ""; i++ {
		c.texts(where, fmt.Sprintf("expectation %d", i+1), golden.Expectations[i].text(), got.Expectations[i].text())
	}
}

// rows looks at what was asked first, then at what was decided, then at who decided: a changed parameter explains
// changed counts, and changed counts matter more than a changed script.
func (c *comparison) rows(goldenRun, gotRun *Run, i int) {
	golden, got := &goldenRun.Results[i], &gotRun.Results[i]
	where := gotRun.Scenario + ", " + got.Algorithm
	all := maps.Clone(got.Parameters)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, golden.Parameters)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c.texts(where, "parameter "+name, golden.Parameters[name], got.Parameters[name])
	}
	c.lists(where, decided(&golden.Result), decided(&got.Result))
	if goldenRun.Server.Kind != "model" && gotRun.Server.Kind != "model" {
		c.texts(where, "script_sha1", golden.ScriptSHA1, got.ScriptSHA1)
	}
	was, is := golden.beyond(), got.beyond()
	for i := range was {
		inBoth := was[i].Text != "" && is[i].Text != "" && was[i].Name != "bytes_per_key"
		if inBoth || goldenRun.Server.SameAs(gotRun.Server) {
			c.texts(where, was[i].Name, was[i].Text, is[i].Text)
		}
	}
}

// identity is what makes two runs comparable at all.
func (r *Run) identity() []Named {
	return []Named{
		{"question", r.Question},
		{"seed", fmt.Sprint(r.Seed)},
		{"clock", r.Clock},
		{"limit", r.Limit.String()},
		{"duration_us", fmt.Sprint(r.DurationUS)},
		{"keys", fmt.Sprint(r.Keys)},
		{"partial", fmt.Sprint(r.Partial)},
	}
}

// decided is everything that follows from the decisions alone, whoever made them.
func decided(r *measure.Result) []Named {
	return append(Counts(&measure.Figures{Result: *r}), Named{"differs_from_exact", fmt.Sprint(r.DiffersFromExact)},
		Named{"decisions_digest", r.DecisionsDigest})
}

// beyond is what goes beyond a row's counts.
func (r *Row) beyond() []Named {
	return slices.Concat(Extras(&r.Figures), Composites(&r.Figures), Rates(&r.Figures))
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

// lists compares two lists of the same names.
func (c *comparison) lists(where string, golden, got []Named) {
	for i := range golden {
		c.texts(where, golden[i].Name, golden[i].Text, got[i].Text)
	}
}

// names names the first scenario or algorithm that only one side has, or the first out of its order.
func (c *comparison) names(where, what string, golden, got []string) {
	for _, name := range golden {
		if !slices.Contains(got, name) {
			c.texts(where, fmt.Sprintf("%s %q", what, name), "present", "")
		}
	}
	for i, name := range got {
		if !slices.Contains(golden, name) {
			c.texts(where, fmt.Sprintf("%s %q", what, name), "", "present")
		}
		if i < len(golden) {
			c.texts(where, fmt.Sprintf("%s %d", what, i+1), golden[i], name)
		}
	}
	c.texts(where, "number of "+what+"s", fmt.Sprint(len(golden)), fmt.Sprint(len(got)))
}

// texts says in one line that two texts differ; an empty text is an absent value.
func (c *comparison) texts(where, name, golden, got string) {
	if golden == got || c.found != "" {
		return
	}
	if where != "" {
		where += ": "
	}
	c.found = fmt.Sprintf("%s%s is %s, %s says %s", where, name, orAbsent(got), c.golden, orAbsent(golden))
}

func orAbsent(text string) string {
	if text == "" {
		return "absent"
	}
	return text
}

func namesOf[T any](list []T, name func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = name(&list[i])
	}
	return out
}
