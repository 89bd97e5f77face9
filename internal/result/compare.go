package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ratelab/internal/measure"
)

// Named is a field as text, with its name in the JSON document.
type Named struct{ Name, Text string }

// Fields are those of a value in JSON, in their order. A list, or what has fields itself, is compact JSON; what is
// absent there is none of them.
func Fields(v any) (all []Named) {
	text, err := encode(v)
	if err != nil {
		panic(err) // numbers and names
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.Token()
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		decoder.Decode(&value)
		all = append(all, Named{fmt.Sprint(name), strings.Trim(string(value), `"`)})
	}
	return all
}

// Compare returns the first difference between a committed result and a new one, in the order of the document, or
// reports that they are equal. It ignores the tool's version, the server and the notes: every server must give the same
// decisions. It compares measures that only some servers give (bytes_per_key, or any that one side lacks) only if both
// ran on the same kind, name and version of server. It ignores a script's hash if the models decided on one side. name
// is the committed result's name.
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
	c.fields(where, golden.identity(), got.identity(), nil)
	nameOf := func(r *Row) string { return r.Algorithm }
	c.names(where, "algorithm", namesOf(golden.Results, nameOf), namesOf(got.Results, nameOf))
	for i := 0; i < len(golden.Results) && c.found == ""; i++ {
		c.rows(golden, got, i)
	}
	c.fields(where+", "+ReferenceLabel, Fields(golden.Reference), Fields(got.Reference), nil)
	c.texts(where, "number of expectations", fmt.Sprint(len(golden.Expectations)), fmt.Sprint(len(got.Expectations)))
	for i := 0; i < len(golden.Expectations) && c.found == ""; i++ {
		at := fmt.Sprintf("%s, expectation %d", where, i+1)
		c.fields(at, Fields(golden.Expectations[i]), Fields(got.Expectations[i]), nil)
	}
}

// rows compares parameters first and scripts last: a changed parameter explains changed counts, and changed counts
// matter more than a changed script.
func (c *comparison) rows(goldenRun, gotRun *Run, i int) {
	golden, got := &goldenRun.Results[i], &gotRun.Results[i]
	where := gotRun.Scenario + ", " + got.Algorithm
	c.fields(where+", parameters", Fields(golden.Parameters), Fields(got.Parameters), nil)
	sameServer := goldenRun.Server.SameAs(gotRun.Server)
	c.fields(where, Fields(golden), Fields(got), func(name, was, is string) bool {
		inBoth := was != "" && is != "" && name != "bytes_per_key"
		elsewhere := name == "parameters" || name == "script_sha1"
		return !elsewhere && (sameServer || inBoth || slices.Contains(decided, name))
	})
	if goldenRun.Server.Kind != "model" && gotRun.Server.Kind != "model" {
		c.texts(where, "script_sha1", golden.ScriptSHA1, got.ScriptSHA1)
	}
}

// decided are the fields that follow from the decisions alone, whoever made them.
var decided = jsonNames(reflect.TypeFor[measure.Result]())

// identity is the fields that must be equal for two runs to be comparable.
func (r *Run) identity() []Named {
	run := *r
	run.Results, run.Reference, run.Expectations, run.Notes, run.Server = nil, nil, nil, nil, Server{}
	return Fields(run)
}

// fields compares two lists of fields, of those that count; nil: all.
func (c *comparison) fields(where string, golden, got []Named, count func(name, was, is string) bool) {
	at := func(list []Named, name string) string {
		if i := slices.IndexFunc(list, func(n Named) bool { return n.Name == name }); i >= 0 {
			return list[i].Text
		}
		return ""
	}
	for _, n := range slices.Concat(golden, got) {
		if was, is := at(golden, n.Name), at(got, n.Name); count == nil || count(n.Name, was, is) {
			c.texts(where, n.Name, was, is)
		}
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
