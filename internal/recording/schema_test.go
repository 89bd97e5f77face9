package recording_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"ratelab/internal/measure"
	"ratelab/internal/recording"
	"ratelab/internal/recording/recordingtest"
	"ratelab/internal/result"
)

// compiled is the schema, which takes a moment.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(recording.Schema()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("bench.schema.json", parsed); err != nil {
		return nil, err
	}
	return compiler.Compile("bench.schema.json")
})

// validate is what the schema says of a document.
func validate(t *testing.T, text string) error {
	t.Helper()
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

// small is a part of the example, for what would take long with all of it.
func small() *recording.Recording {
	r := fresh()
	r.Runs, r.Costs = r.Runs[:1], r.Costs[:1]
	r.Runs[0].Rows = r.Runs[0].Rows[:1]
	r.Runs[0].Rows[0].Open.Intervals = nil
	return r
}

// What is written is what the schema promises, also where there is nothing, and where the server is others' too.
func TestDocumentsKeepTheSchema(t *testing.T) {
	bare := &recording.Recording{Header: example().Header, Server: example().Server}
	for name, text := range map[string]string{
		"full": encoded(t, example()), "bare": encoded(t, bare),
		"shared": encoded(t, recordingtest.Shared()),
		"paired": encodedPair(t, recordingtest.Paired(1.2)),
	} {
		if err := validate(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what would mislead a reader.
func TestSchemaRefuses(t *testing.T) {
	text := encoded(t, small())
	for _, c := range []struct{ old, new string }{
		{`"schema_version": 1`, `"schema_version": 2`},
		{`"kind": "bench"`, `"kind": "paired"`},
		{`"kind": "container"`, `"kind": "embedded"`},
		{`"offered": 33300`, `"offered": -1`},
		{`"dropped": 0`, `"droped": 0`},
		{`"mix": "half"`, `"mix": "halves"`},
		{`"started": "2024-`, `"started": "24-`},
		{`"hdr_v2": "HIST`, `"hdr_v2": "MIST`},
		{`"reasons": []`, `"reasons": null`},
		{`"checksum": "sha256:`, `"checksum": "md5:`},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s does not stand there", c.old)
		}
		if validate(t, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}

// Every field that Go writes is described, and every described field is written.
func TestSchemaDescribesEveryField(t *testing.T) {
	var parsed struct {
		Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
	}
	if err := json.Unmarshal(recording.Schema(), &parsed); err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{"histogram": {"count", "hdr_v2", "max_us", "mean_us", "min_us", "p50_us", "p90_us", "p99_9_us", "p99_99_us", "p99_us"}}
	collectFields(reflect.TypeFor[recording.Recording](), fields)
	collectFields(reflect.TypeFor[recording.Paired](), fields)
	fields["recording"], fields["paired"] = append(fields["recording"], "checksum"), append(fields["paired"], "checksum")
	if diff := cmp.Diff(slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(parsed.Defs))); diff != "" {
		t.Errorf("types (-written +described):\n%s", diff)
	}
	for name, want := range fields {
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(parsed.Defs[name].Properties))); diff != "" {
			t.Errorf("%s (-written +described):\n%s", name, diff)
		}
	}
}

// collectFields lists the JSON fields of a type and of all that it is made of, by the name of the definition.
func collectFields(of reflect.Type, into map[string][]string) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectFields(of.Elem(), into)
		return
	case reflect.Struct:
	default:
		return
	}
	ours := []reflect.Type{reflect.TypeFor[recording.Header](), reflect.TypeFor[result.Limit](), reflect.TypeFor[measure.Result]()}
	known := slices.ContainsFunc(ours, func(o reflect.Type) bool { return o.PkgPath() == of.PkgPath() })
	name := strings.ToLower(of.Name()[:1]) + of.Name()[1:]
	if !known || of == reflect.TypeFor[recording.Histogram]() || into[name] != nil {
		return
	}
	into[name] = []string{}
	for _, field := range reflect.VisibleFields(of) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag != "" {
			into[name] = append(into[name], tag)
		}
		if !field.Anonymous {
			collectFields(field.Type, into)
		} else if embedded := strings.ToLower(field.Type.Name()); embedded == "result" {
			collectFields(field.Type, into)
		}
	}
}
