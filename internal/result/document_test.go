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
