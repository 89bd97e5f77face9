package result

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ratelab/internal/measure"
)

// Named is a field as text, with its name in the JSON document.
type Named struct{ Name, Text string }

// Fields returns the fields of a value in JSON, in their order. A list or an object is compact JSON. Absent fields are
// left out.
func Fields(v any) (all []Named) {
	text, err := encode(v)
	if err != nil {
		panic(err) // cannot fail: the values are numbers and names
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

// Difference is the first field of a row in which a new document differs from a committed one. If no row is meant, it
// is the first such field of a run or of the document.
type Difference struct {
	Scenario, Algorithm string // empty for a field of the document or of the run
	Text                string // such as: admitted is 18, was 20
}

func (d Difference) String() string {
	if d.Scenario == "" {
		return d.Text
	}
	return d.Scenario + ": " + d.Text
}

// Compare returns the differences between a committed result and a new one, in the order of the document. If the limit
// or the traffic of a run differs, its rows are not compared. Compare ignores the tool's version, the server and the
// notes: all servers must give the same decisions. Some measures depend on the server (bytes_per_key, or any that one
// side lacks). They are compared only if the servers have the same kind, name and version. A script's hash is ignored
// if the models decided on one side.
func Compare(golden, got *Document) []Difference {
	var c comparison
	c.texts("schema_version", fmt.Sprint(golden.SchemaVersion), fmt.Sprint(got.SchemaVersion))
	nameOf := func(r *Run) string { return r.Scenario }
	c.names("scenario", namesOf(golden.Runs, nameOf), namesOf(got.Runs, nameOf))
	for i := range golden.Runs {
		same := func(r *Run) bool { return r.Scenario == golden.Runs[i].Scenario }
		if r := first(got.Runs, same); r != nil {
			c.runs(&golden.Runs[i], r)
		}
	}
	return c.found
}

// comparison collects differences. at is the current place; found has at most one difference per place.
type comparison struct {
	at    Difference
	found []Difference
}

// differs reports whether a difference was found at the current place.
func (c *comparison) differs() bool {
	n := len(c.found)
	return n > 0 && c.found[n-1].Scenario == c.at.Scenario && c.found[n-1].Algorithm == c.at.Algorithm
}

func (c *comparison) runs(golden, got *Run) {
	c.at = Difference{Scenario: got.Scenario}
	c.fields("", golden.identity(), got.identity(), nil)
	c.fields(ReferenceLabel+": ", Fields(golden.Reference), Fields(got.Reference), nil)
	if c.differs() {
		return
	}
	before := len(c.found)
	nameOf := func(r *Row) string { return r.Algorithm }
	c.names("algorithm", namesOf(golden.Results, nameOf), namesOf(got.Results, nameOf))
	for i := range golden.Results {
		if row := got.Find(golden.Results[i].Algorithm); row != nil {
			c.at.Algorithm = row.Algorithm
			c.rows(&golden.Results[i], row, golden.Server, got.Server)
		}
	}
	c.at.Algorithm = ""
	c.texts("number of expectations", fmt.Sprint(len(golden.Expectations)), fmt.Sprint(len(got.Expectations)))
	// differences in rows explain those in expectations
	for i := 0; i < len(golden.Expectations) && len(c.found) == before; i++ {
		c.fields(fmt.Sprintf("expectation %d: ", i+1), Fields(golden.Expectations[i]), Fields(got.Expectations[i]), nil)
	}
}

// rows compares parameters first and scripts last. A changed parameter explains changed counts, and changed counts
// matter more than a changed script.
func (c *comparison) rows(golden, got *Row, before, now Server) {
	c.fields("parameter ", Fields(golden.Parameters), Fields(got.Parameters), nil)
	sameServer := before.SameAs(now)
	c.fields("", Fields(golden), Fields(got), func(name, was, is string) bool {
		inBoth := was != "" && is != "" && name != "bytes_per_key"
		elsewhere := name == "parameters" || name == "script_sha1"
		return !elsewhere && (sameServer || inBoth || slices.Contains(decided, name))
	})
	if before.Kind != "model" && now.Kind != "model" {
		c.texts("script_sha1", golden.ScriptSHA1, got.ScriptSHA1)
	}
}

// decided are the fields that follow from the decisions alone.
var decided = jsonNames(reflect.TypeFor[measure.Result]())

// identity returns the fields that must be equal for two runs to be comparable.
func (r *Run) identity() []Named {
	run := *r
	run.Results, run.Reference, run.Expectations, run.Notes, run.Server = nil, nil, nil, nil, Server{}
	return Fields(run)
}

// fields compares two lists of fields. count selects the fields to compare; nil selects all.
func (c *comparison) fields(what string, golden, got []Named, count func(name, was, is string) bool) {
	at := func(list []Named, name string) string {
		if i := slices.IndexFunc(list, func(n Named) bool { return n.Name == name }); i >= 0 {
			return list[i].Text
		}
		return ""
	}
	for _, n := range slices.Concat(golden, got) {
		if was, is := at(golden, n.Name), at(got, n.Name); count == nil || count(n.Name, was, is) {
			c.texts(what+n.Name, was, is)
		}
	}
}

// names compares the names of scenarios or algorithms: which only one side has, and their order.
func (c *comparison) names(what string, golden, got []string) {
	for _, name := range golden {
		if !slices.Contains(got, name) {
			c.texts(fmt.Sprintf("%s %q", what, name), "present", "")
		}
	}
	for i, name := range got {
		if !slices.Contains(golden, name) {
			c.texts(fmt.Sprintf("%s %q", what, name), "", "present")
		}
		if i < len(golden) {
			c.texts(fmt.Sprintf("%s %d", what, i+1), golden[i], name)
		}
	}
	c.texts("number of "+what+"s", fmt.Sprint(len(golden)), fmt.Sprint(len(got)))
}

// texts records that two texts differ, if this is the first difference at the place. An empty text is an absent value.
func (c *comparison) texts(name, golden, got string) {
	if golden == got || c.differs() {
		return
	}
	found := c.at
	found.Text = fmt.Sprintf("%s is %s, was %s", name, cmp.Or(got, "absent"), cmp.Or(golden, "absent"))
	if name == "decisions_digest" {
		found.Text = "admits as many as before, but other requests"
	}
	c.found = append(c.found, found)
}

func namesOf[T any](list []T, name func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = name(&list[i])
	}
	return out
}
