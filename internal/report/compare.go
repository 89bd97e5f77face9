package report

import (
	"fmt"
	"maps"
	"slices"
)

// Compare names the first difference between a committed result and a new one, in the order of the
// document, or reports that they are equal. The tool's version, the server and the notes make none: the same
// decisions must come from every server. Measures that not every server gives (bytes_per_key, or any that
// one side left out) count only where both sides ran on the same kind, name and version; a script's hash
// does not count where one side ran the models, which have no script. name is what the committed result is called.
func Compare(golden, got *Document, name string) (difference string, equal bool) {
	c := comparison{name}
	if golden.SchemaVersion != got.SchemaVersion {
		d := c.differs("", "schema_version", fmt.Sprint(got.SchemaVersion), fmt.Sprint(golden.SchemaVersion))
		return d, false
	}
	if d := c.compareNames("", "scenario", runNames(golden), runNames(got)); d != "" {
		return d, false
	}
	for i := range golden.Runs {
		if d := c.compareRun(&golden.Runs[i], &got.Runs[i]); d != "" {
			return d, false
		}
	}
	return "", true
}

// comparison is with the committed result of that name.
type comparison struct{ golden string }

func (c comparison) compareRun(golden, got *Run) string {
	where := got.Scenario
	if d := c.compareValues(where, golden.identity(), got.identity()); d != "" {
		return d
	}
	if d := c.compareNames(where, "algorithm", rowNames(golden), rowNames(got)); d != "" {
		return d
	}
	for i := range golden.Results {
		if d := c.compareRow(golden, got, i); d != "" {
			return d
		}
	}
	switch a, b := golden.Reference, got.Reference; {
	case a == nil && b == nil:
	case a == nil:
		return c.differs(where, ReferenceLabel, "present", "")
	case b == nil:
		return c.differs(where, ReferenceLabel, "", "present")
	default:
		if d := c.compareValues(where+", "+ReferenceLabel, decided(a), decided(b)); d != "" {
			return d
		}
	}
	return c.compareExpectations(where, golden.Expectations, got.Expectations)
}

// compareRow looks at what was asked first, then at what was decided, then at who decided: a changed
// parameter explains changed counts, and changed counts matter more than a changed script.
func (c comparison) compareRow(goldenRun, gotRun *Run, i int) string {
	golden, got := &goldenRun.Results[i], &gotRun.Results[i]
	where := gotRun.Scenario + ", " + got.Algorithm
	if d := c.compareParameters(where, golden.Parameters, got.Parameters); d != "" {
		return d
	}
	if d := c.compareValues(where, decided(&golden.Result), decided(&got.Result)); d != "" {
		return d
	}
	if goldenRun.Server.Kind != "model" && gotRun.Server.Kind != "model" && golden.ScriptSHA1 != got.ScriptSHA1 {
		return c.differs(where, "script_sha1", got.ScriptSHA1, golden.ScriptSHA1)
	}
	was, is := append(extras(&golden.Figures), findings(&golden.Figures)...), append(extras(&got.Figures),
		findings(&got.Figures)...)
	if !goldenRun.Server.SameAs(gotRun.Server) {
		was, is = inBoth(was, is)
	}
	return c.compareValues(where, was, is)
}

// inBoth keeps the measures that both sides have, without bytes_per_key, which is the server's own affair.
func inBoth(golden, got []named) (was, is []named) {
	for i := range golden {
		if golden[i].text != "" && got[i].text != "" && golden[i].name != "bytes_per_key" {
			was, is = append(was, golden[i]), append(is, got[i])
		}
	}
	return was, is
}

// compareValues compares two lists of the same names.
func (c comparison) compareValues(where string, golden, got []named) string {
	for i := range golden {
		if golden[i].text != got[i].text {
			return c.differs(where, golden[i].name, got[i].text, golden[i].text)
		}
	}
	return ""
}

func (c comparison) compareParameters(where string, golden, got map[string]string) string {
	all := maps.Clone(golden)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := golden[name]
		is, has := got[name]
		if was != is || had != has {
			return c.differs(where, "parameter "+name, is, was)
		}
	}
	return ""
}

func (c comparison) compareExpectations(where string, golden, got []Expectation) string {
	if len(golden) != len(got) {
		return c.differs(where, "number of expectations", fmt.Sprint(len(got)), fmt.Sprint(len(golden)))
	}
	for i, old := range golden {
		if now := got[i]; now.text() != old.text() {
			return c.differs(where, fmt.Sprintf("expectation %d", i+1), now.text(), old.text())
		}
	}
	return ""
}
