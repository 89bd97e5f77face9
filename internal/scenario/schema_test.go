package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/scenarios"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(scenarios.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON gives a YAML file as an editor's validator sees it: all names are strings.
func asJSON(t *testing.T, data []byte) (any, bool) {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return nil, false
	}
	return stringKeys(v), true
}

func stringKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = stringKeys(e)
		}
	case map[any]any:
		m := map[string]any{}
		for k, e := range v {
			text, _ := yaml.Marshal(k)
			m[string(bytes.TrimSpace(text))] = stringKeys(e)
		}
		return m
	case []any:
		for i, e := range v {
			v[i] = stringKeys(e)
		}
	case interface{ String() string }: // a timestamp
		return "2024-01-01T00:00:00Z"
	}
	return v
}

// measuresOfSchema are the properties of an expectation after its algorithm.
var measuresOfSchema = regexp.MustCompile(`(?s)(of the same algorithm whose clients remember that they are over the limit\."\n        \}),\n(.*?)\n      \}\n`)

// An editor completes the measures that the loader knows, and says what each is. -update writes them into the schema.
func TestSchemaListsTheMeasures(t *testing.T) {
	var lines []string
	for _, name := range measure.Names(measure.Expected) {
		m, _ := measure.Find(name)
		help, err := json.Marshal(fmt.Sprintf("%s (%s)", m.Help, m.Unit))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("        %q: {\"$ref\": \"#/$defs/range\", \"description\": %s}", name, help))
	}
	found := measuresOfSchema.FindStringSubmatchIndex(string(scenarios.Schema))
	if found == nil {
		t.Fatal("the schema has no expectation")
	}
	want := strings.Join(lines, ",\n")
	if got := string(scenarios.Schema[found[4]:found[5]]); got == want {
		return
	}
	if !*update {
		t.Fatal("schema.json has other measures than expect knows; -update writes them")
	}
	whole := string(scenarios.Schema[:found[4]]) + want + string(scenarios.Schema[found[5]:])
	if err := os.WriteFile("../../scenarios/schema.json", []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
}

// An editor shows what each field is.
func TestSchemaDescribesEveryField(t *testing.T) {
	var whole any
	if err := json.Unmarshal(scenarios.Schema, &whole); err != nil {
		t.Fatal(err)
	}
	fields := 0
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			if _, schema := v["additionalProperties"]; !schema { // a condition, which names fields and describes none
				properties = nil
			}
			for name, p := range properties {
				fields++
				text, _ := p.(map[string]any)["description"].(string)
				if len(text) < len("At most.") || !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ")") {
					t.Errorf("%s.%s has the description %q; want a sentence", at, name, text)
				}
			}
			for name, e := range v {
				look(at+"."+name, e)
			}
		case []any:
			for i, e := range v {
				look(fmt.Sprintf("%s[%d]", at, i), e)
			}
		}
	}
	look("", whole)
	if fields < 60 {
		t.Errorf("%d fields were looked at; want all of them", fields)
	}
}

// alternatives are the parts of the schema that may describe a value.
func alternatives(whole map[string]any, v any) (all []map[string]any) {
	s, _ := v.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		return alternatives(whole, whole["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")])
	}
	all = append(all, s)
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := s[word].([]any)
		for _, e := range list {
			all = append(all, alternatives(whole, e)...)
		}
	}
	return all
}

// fieldWalk goes through a scenario's mappings beside the parts of the schema that describe them.
type fieldWalk struct {
	*testing.T
	name   string
	root   *yaml.Node
	schema map[string]any
	seen   map[uintptr]bool // the mappings of the schema, by address
}

func (w *fieldWalk) walk(n *yaml.Node, described []map[string]any) {
	fields, first := map[string][]map[string]any{}, false
	for _, s := range described {
		if properties, _ := s["properties"].(map[string]any); s["additionalProperties"] == false {
			at := reflect.ValueOf(s).Pointer()
			first, w.seen[at] = first || !w.seen[at], true
			for name, p := range properties {
				fields[name] = append(fields[name], alternatives(w.schema, p)...)
			}
		}
		if n.Kind == yaml.SequenceNode {
			for _, item := range n.Content {
				w.walk(item, alternatives(w.schema, s["items"]))
			}
		}
	}
	if n.Kind != yaml.MappingNode || len(fields) == 0 {
		return
	}
	if first && fields["algorithm"] == nil { // TestSchemaListsTheMeasures compares those of an expectation
		w.compare(n, fields)
	}
	for i := 0; i < len(n.Content); i += 2 {
		w.walk(n.Content[i+1], fields[n.Content[i].Value])
	}
}

// compare adds an unknown field to a mapping: the loader then lists those that it knows.
func (w *fieldWalk) compare(n *yaml.Node, fields map[string][]map[string]any) {
	before := n.Content
	scalar := func(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
	n.Content = append(slices.Clip(before), scalar("zzzzzzzzzzzz"), scalar("1"))
	data, err := yaml.Marshal(w.root)
	if n.Content = before; err != nil {
		w.Fatal(err)
	}
	_, err = Parse(w.name+".yaml", data)
	found := regexp.MustCompile(`(\S*)zzzzzzzzzzzz: unknown field; want one of (.*)`).FindStringSubmatch(fmt.Sprint(err))
	if found == nil {
		w.Fatalf("%s: an unknown field beside %s gives %v", w.name, before[0].Value, err)
	}
	loader, schema := strings.Split(found[2], ", "), slices.Sorted(maps.Keys(fields))
	if slices.Sort(loader); !slices.Equal(loader, schema) {
		w.Errorf("%s: in %q the loader knows the fields %q, and schema.json %q", w.name, found[1], loader, schema)
	}
}

// The schema has the fields of the loader, in every mapping of a scenario.
func TestSchemaHasTheLoadersFields(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(scenarios.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[uintptr]bool{}
	for _, name := range append(Names(), "everything", "several", "endings") {
		root := &yaml.Node{}
		if err := yaml.Unmarshal(source(t, name), root); err != nil {
			t.Fatal(err)
		}
		w := fieldWalk{t, name, root, schema, seen}
		w.walk(root.Content[0], alternatives(schema, schema))
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["additionalProperties"] == false && !seen[reflect.ValueOf(v).Pointer()] {
				t.Errorf("no scenario has a mapping of %q; add one to everything", slices.Sorted(maps.Keys(v)))
			}
			for _, e := range v {
				look(e)
			}
		case []any:
			for _, e := range v {
				look(e)
			}
		}
	}
	look(schema)
}

// source is the file of a built-in scenario, or the one with every field.
func source(t *testing.T, name string) []byte {
	t.Helper()
	switch name {
	case "everything":
		return []byte(everything)
	case "endings":
		return []byte(endings)
	case "several":
		return []byte(severalLimits)
	}
	data, err := scenarios.Files.ReadFile(name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSchemaAcceptsTheBuiltin(t *testing.T) {
	schema := compileSchema(t)
	for _, name := range append(Names(), "everything", "several", "endings") {
		v, _ := asJSON(t, source(t, name))
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// beyondSchema are the bad files that a JSON Schema cannot see through, each with the reason; what else the loader
// refuses, the schema refuses too.
var beyondSchema = map[string]string{
	"clients-ranges":      "it would have to compare durations",
	"clients-same-name":   "it would have to compare two groups",
	"clients-too-many":    "it would have to add up",
	"start-early":         "it would have to compare times",
	"server-clock-order":  "it would have to compare two steps",
	"duplicate-fields":    "the YAML reader drops one, or refuses",
	"expect-of-nobody":    "it would have to compare an entry with the clients, clocks and sequences",
	"expect-twice":        "it would have to compare two entries",
	"limit-finer-than-us": "it would have to count digits",
	"longer-than-a-year":  "it would have to add up",
	"merge-key":           "it is merged before the schema sees it",
	"no-time-at-all":      "it would have to add up",
	"same-phase-twice":    "it would have to compare two phases",
	"start-range":         "it would have to compare times",
	"two-documents":       "an editor checks each by itself",
}

// TestSchemaAgreesWithTheLoader on every bad file, except where the list above says why not.
func TestSchemaAgreesWithTheLoader(t *testing.T) {
	schema := compileSchema(t)
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, ok := asJSON(t, data)
		accepted := ok && schema.Validate(v) == nil
		if reason, excused := beyondSchema[baseName(file)]; accepted != excused &&
			reason != beyondSchema["duplicate-fields"] {
			t.Errorf("%s: accepted by the schema is %v, and the reason why %q", file, accepted, reason)
		}
	}
}

// A limit may be written as on the command line; it means what its fields would.
func TestALimitAsText(t *testing.T) {
	const rest = "\nname: a\nquestion: b?\nphases: [{name: all, duration: 1s, constant: 1}]\n"
	short, err := Parse("a.yaml", []byte("limit: 100/1m"+rest))
	if err != nil {
		t.Fatal(err)
	}
	long, err := Parse("a.yaml", []byte("limit: {requests: 100, per: 1m}"+rest))
	if err != nil {
		t.Fatal(err)
	}
	if short.Limit != long.Limit || short.NamesContract {
		t.Errorf("%+v, %+v", short.Limit, long.Limit)
	}
}
