package result_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
	"ratelab/internal/result/resulttest"
)

func written(t testing.TB, d *result.Document) string {
	t.Helper()
	var out strings.Builder
	if err := result.Write(&out, d); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bare is a measurement of nothing.
func bare() *result.Document {
	d := benchmarktest.Example()
	d.Notes, d.Validity.Reasons = nil, nil
	d.Runs = nil
	d.Latency = []result.Latency{{Scenario: "s", Algorithm: "a"}}
	return d
}

// What is written is what the schema promises, also where lists are empty, and is read back. Absent lists and
// histograms are written as empty ones, and the document in memory stays as it was.
func TestWhatIsWrittenKeepsTheSchemaAndIsReadBack(t *testing.T) {
	for name, d := range map[string]*result.Document{
		"worked case": resulttest.ExtremeCase(), "everything set": resulttest.EveryMeasure(),
		"measured": benchmarktest.Example(), "measured on a given server": benchmarktest.Shared(), "bare": bare(),
	} {
		first := written(t, d)
		if err := resulttest.Validate(t, first); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(first, "null") && d.Measurement != nil {
			t.Errorf("%s: there are nulls:\n%s", name, first)
		}
		back, err := result.Read(saved(t, d.Command.File(), first), d.Command)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if second := written(t, back); second != first {
			t.Errorf("%s, read and written again:\n%s", name, cmp.Diff(first, second))
		}
		if found := result.Compare(d, back); found != nil {
			t.Errorf("%s: what was read back differs: %v", name, found)
		}
	}
	d := bare()
	written(t, d)
	if d.Notes != nil || d.Latency[0].Outcomes.Admitted.Lag != nil {
		t.Error("writing changed the document")
	}
}

// The schema refuses what would mislead a reader.
func TestTheSchemaRefuses(t *testing.T) {
	simulated, measured := written(t, resulttest.ExtremeCase()), written(t, benchmarktest.Small())
	for _, c := range []struct{ text, old, new string }{
		{simulated, `"schema_version": 3`, `"schema_version": 2`},
		{simulated, `"command": "simulate"`, `"command": "simulator"`},
		{simulated, `"admitted": 1785`, `"admitted": -1`},
		{simulated, `"admitted": 1785`, `"granted": 1785`},
		{simulated, `"clock": "virtual"`, `"clock": "sundial"`},
		{simulated, `"parameters": {}`, `"parameters": null`},
		{simulated, `"decisions_digest": "0`, `"decisions_sha256": "xyz`},
		{measured, `"kind": "container"`, `"kind": "embedded"`},
		{measured, `"offered": 33300`, `"offered": -1`},
		{measured, `"dropped": 0`, `"droped": 0`},
		{measured, `"started": "2024-`, `"started": "24-`},
		{measured, `"hdr_v2": "HIST`, `"hdr_v2": "MIST`},
		{measured, `"reasons": []`, `"reasons": null`},
	} {
		bad := strings.Replace(c.text, c.old, c.new, 1)
		if bad == c.text {
			t.Fatalf("%s does not stand there", c.old)
		}
		if resulttest.Validate(t, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}

// Of a number that JSON cannot say nothing is written.
func TestWriteRefusesNaN(t *testing.T) {
	simulated, measured := resulttest.ExtremeCase(), benchmarktest.Small()
	simulated.Runs[0].Results[0].XLimit = math.NaN()
	measured.Latency[0].AchievedPerS = math.NaN()
	for _, d := range []*result.Document{simulated, measured} {
		var out strings.Builder
		if err := result.Write(&out, d); err == nil || out.Len() != 0 {
			t.Errorf("%s: error %v after %d bytes, want an error and nothing written", d.Command, err, out.Len())
		}
	}
}

func BenchmarkRead(b *testing.B) {
	text := written(b, benchmarktest.Example())
	path := saved(b, "bench.json", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := result.Read(path, result.OfBench); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	d := benchmarktest.Example()
	b.SetBytes(int64(len(written(b, d))))
	b.ReportAllocs()
	for b.Loop() {
		written(b, d)
	}
}
