package result_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// What Write writes is what the schema promises, also where lists are empty.
func TestJSONKeepsTheSchema(t *testing.T) {
	for name, doc := range map[string]*result.Document{
		"worked case": resulttest.ExtremeCase(), "everything set": resulttest.EveryMeasure(),
		"no runs": result.New(result.OfSimulate, ""),
	} {
		text := render(func(w *strings.Builder) error { return result.Write(w, doc) })
		if err := resulttest.Validate(t, text); err != nil {
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
		if resulttest.Validate(t, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}

func TestJSONReadsBackWhatWasWritten(t *testing.T) {
	for _, doc := range []*result.Document{resulttest.ExtremeCase(), resulttest.EveryMeasure()} {
		first := render(func(w *strings.Builder) error { return result.Write(w, doc) })
		back, err := result.Read(saved(t, "result.json", first), result.OfSimulate)
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
