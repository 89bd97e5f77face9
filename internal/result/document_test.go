package result_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// What WriteJSON writes is what the schema promises, also where lists are empty.
func TestJSONKeepsTheSchema(t *testing.T) {
	for name, doc := range map[string]*result.Document{
		"worked case": resulttest.ExtremeCase(), "everything set": resulttest.EveryMeasure(),
		"no runs": result.New(result.OfSimulate, ""),
	} {
		text := render(func(w *strings.Builder) error { return result.Write(w, doc) })
		if err := resulttest.Validate(t, result.Simulation, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what would mislead a reader.
func TestSchemaRefuses(t *testing.T) {
	text := render(func(w *strings.Builder) error { return result.Write(w, resulttest.ExtremeCase()) })
	for _, c := range []struct{ old, new string }{
		{`"schema_version": 3`, `"schema_version": 2`},
		{`"admitted": 1785`, `"admitted": -1`},
		{`"admitted": 1785`, `"granted": 1785`},
		{`"clock": "virtual"`, `"clock": "sundial"`},
		{`"parameters": {}`, `"parameters": null`},
		{`"decisions_digest": "0`, `"decisions_sha256": "xyz`},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s does not stand there", c.old)
		}
		if resulttest.Validate(t, result.Simulation, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}

func TestJSONReadsBackWhatWasWritten(t *testing.T) {
	for _, doc := range []*result.Document{resulttest.ExtremeCase(), resulttest.EveryMeasure()} {
		first := render(func(w *strings.Builder) error { return result.Write(w, doc) })
		back, err := result.ReadDocument(saved(t, "result.json", first))
		if err != nil {
			t.Fatal(err)
		}
		if second := render(func(w *strings.Builder) error { return result.Write(w, back) }); second != first {
			t.Errorf("read and written again:\n%s", cmp.Diff(first, second))
		}
		if difference, equal := result.Compare(doc, back, "results/"); !equal {
			t.Errorf("what was read back differs: %s", difference)
		}
	}
}

// A document that this program cannot vouch for is refused in one line.
func TestReadDocumentRefuses(t *testing.T) {
	const head = `"tool": {"name": "simulate", "version": "1"}`
	for _, c := range []struct{ text, want string }{
		{`{"schema_version": 4, ` + head + `, "runs": []}`,
			"is a result.json of simulate with schema_version 4, where this program reads 3; use the version of " +
				"simulate that wrote it, or a newer one"},
		{`{"schema_version": 2, ` + head + `, "runs": []}`,
			"is a result.json of simulate with schema_version 2, where this program reads 3; run simulate again, or " +
				"use the version of simulate that wrote it"},
		{`{` + head + `, "runs": []}`,
			"is a result.json of simulate with schema_version none, where this program reads 3; take the file as " +
				"simulate wrote it, or run simulate again"},
		{`{"schema_version": 3, ` + head + `, "runs": [], "rnus": []}`,
			`unknown field "rnus"; take the file as simulate wrote it, or run simulate again`},
		{`{"schema_version": 3, ` + head + `, "runs": [{"results": [{"algorithm": "gcra", "admited": 1}]}]}`,
			`unknown field "admited"; take the file as simulate wrote it, or run simulate again`},
		{`{"schema_version": 2, "kind": "bench"}`, "is a bench.json of bench run; want a result.json of simulate"},
		{`{"schema_version": 2, ` + head + `, "runs": []} {}`,
			"broken JSON: invalid character '{' after top-level value; take the file as simulate wrote it, or run " +
				"simulate again"},
		{``, "is empty; want a result.json of simulate"},
		{`{"schema_version": 2, "runs": [`,
			"it was cut short: the JSON ends too early; take the file as simulate wrote it, or run simulate again"},
	} {
		path := saved(t, "result.json", c.text)
		_, err := result.ReadDocument(path)
		if err == nil || !strings.HasPrefix(err.Error(), path+":") || !strings.HasSuffix(err.Error(), ": "+c.want) {
			t.Errorf("%s\ngives %v\nwant  %s", c.text, err, c.want)
		}
	}
}

// Numbers that JSON cannot say are an error, not a document cut short.
func TestWriteJSONRefusesNaN(t *testing.T) {
	doc := resulttest.ExtremeCase()
	doc.Runs[0].Results[0].Overshoot = math.NaN()
	var out strings.Builder
	if err := result.Write(&out, doc); err == nil || out.Len() != 0 {
		t.Errorf("error %v after %d bytes, want an error and nothing written", err, out.Len())
	}
}

func render(write func(*strings.Builder) error) string {
	var out strings.Builder
	if err := write(&out); err != nil {
		panic(err)
	}
	return out.String()
}
