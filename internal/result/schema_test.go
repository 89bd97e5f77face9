package result_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/invopop/jsonschema"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

var update = flag.Bool("update", false, "write the schemas anew; read the difference")

// The schema is made of the Go types: a field's comment is its description, and of a measure its declaration's.
func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	t.Chdir("../..")
	want := generated(t)
	if *update {
		if err := os.WriteFile(filepath.Join("internal", "result", "result.schema.json"), want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(result.Schema, want) {
		t.Error("result.schema.json is not what the Go types say; -update writes it anew")
	}
}

// comments are those of the module's types and fields. To read them all takes a quarter of a second.
var comments = sync.OnceValues(func() (map[string]string, error) {
	r := &jsonschema.Reflector{}
	module := strings.TrimSuffix(reflect.TypeFor[result.Document]().PkgPath(), "/internal/result")
	err := r.AddGoComments(module, "internal", jsonschema.WithFullComment())
	for at, text := range r.CommentMap {
		r.CommentMap[at] = strings.Join(strings.Fields(text), " ")
	}
	return r.CommentMap, err
})

func generated(t *testing.T) []byte {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true, Namer: name, Mapper: special, LookupComment: helpOf,
	}
	var err error
	if r.CommentMap, err = comments(); err != nil {
		t.Fatal(err)
	}
	s := r.Reflect(result.Document{})
	s.Title = "A document of simulate or bench"
	set(s, "schema_version", result.Version)
	if row := s.Definitions["resultRow"]; row != nil {
		addDerived(row)
	}
	// a model or a server in the process is never measured
	if server := s.Definitions["resultBenchServer"]; server != nil {
		enum(server, "kind", "process", "container", "url")
		enum(server, "transport", "unix", "tcp", "tls")
	}
	countFromZero(s)
	for _, inner := range s.Definitions {
		countFromZero(inner)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(s); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// name tells the rows and runs of several packages apart.
func name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return filepath.Base(t.PkgPath()) + t.Name()
}

// special are types whose JSON is not that of their fields.
func special(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[result.Command]():
		return &jsonschema.Schema{Type: "string", Enum: []any{result.OfSimulate, result.OfRecommend,
			result.OfLimits, result.OfExamine, result.OfBench, result.OfCompare, result.OfCheck,
			result.OfDecisions}}
	case reflect.TypeFor[result.Outcome]():
		return &jsonschema.Schema{Type: "string", Enum: []any{result.Regression, result.Inconclusive,
			result.Improvement, result.Same, result.Noted, result.OK}}
	case reflect.TypeFor[result.Histogram]():
		return (&jsonschema.Reflector{Anonymous: true,
			DoNotReference: true}).ReflectFromType(reflect.TypeFor[result.Summary]())
	}
	return nil
}

// ways are where in a row's JSON the figures of a type stand.
var ways = map[reflect.Type]string{
	reflect.TypeFor[measure.Result](): "", reflect.TypeFor[measure.Figures](): "",
	reflect.TypeFor[measure.Clients]():     "clients.",
	reflect.TypeFor[measure.RetryAfter]():  "clients.retry_after.",
	reflect.TypeFor[measure.ClockEffect](): "clock_effect.",
	reflect.TypeFor[measure.Race]():        "race.", reflect.TypeFor[measure.LocalFlag](): "local_flag.",
	reflect.TypeFor[measure.Fairness](): "fairness.",
}

// helpOf is what a measure's declaration says of a field.
func helpOf(t reflect.Type, field string) string {
	way, known := ways[t]
	if !known || field == "" {
		return ""
	}
	f, _ := t.FieldByName(field)
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if m, _ := measure.Find(way + tag); m != nil {
		return m.Help + " (" + string(m.Unit) + ")"
	}
	return ""
}

// set fixes the value of a property.
func set(s *jsonschema.Schema, property string, value any) {
	s.Properties.Set(property, &jsonschema.Schema{Const: value})
}

// enum narrows the values of a property.
func enum(s *jsonschema.Schema, property string, values ...any) {
	p, _ := s.Properties.Get(property)
	p.Enum = values
}

// addDerived adds the measures that are written and have no field.
func addDerived(row *jsonschema.Schema) {
	for _, at := range measure.Names(measure.Written) {
		if _, has := row.Properties.Get(at); !has && !strings.Contains(at, ".") {
			m, _ := measure.Find(at)
			row.Properties.Set(at, &jsonschema.Schema{Type: "number",
				Description: m.Help + " (" + string(m.Unit) + ")"})
		}
	}
}

// countFromZero says of every number that nothing else is said of that it is not negative.
func countFromZero(s *jsonschema.Schema) {
	if (s.Type == "integer" || s.Type == "number") && s.Minimum == "" && s.ExclusiveMinimum == "" && s.Const == nil {
		s.Minimum = "0"
	}
	if s.Items != nil {
		countFromZero(s.Items)
	}
	if s.AdditionalProperties != nil {
		countFromZero(s.AdditionalProperties)
	}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		countFromZero(pair.Value)
	}
}
