package result_test

import (
	"math"
	"strings"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

func encoded(t testing.TB, r *result.Document) string {
	t.Helper()
	var out strings.Builder
	if err := result.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	first := encoded(t, benchmarktest.Once())
	back, err := result.Read(saved(t, "bench.json", first), result.OfBench)
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, back) != first {
		t.Error("read and written again it is another document")
	}
}

// Absent lists and histograms are written as empty ones, and the document in memory stays as it was.
func TestNullsAreWrittenAsEmpty(t *testing.T) {
	bare := benchmarktest.Fresh()
	bare.Notes, bare.Validity.Reasons, bare.Settings.Sweep = nil, nil, nil
	bare.Runs, bare.Costs = nil, nil
	bare.Latency = []result.Latency{{Scenario: "s", Algorithm: "a"}}
	text := encoded(t, bare)
	if strings.Contains(text, "null") {
		t.Errorf("there are nulls:\n%s", text)
	}
	if bare.Notes != nil || bare.Settings.Sweep != nil || bare.Latency[0].Outcomes.Accepted.Lag != nil {
		t.Error("writing changed the document")
	}
	if _, err := result.Read(saved(t, "bench.json", text), result.OfBench); err != nil {
		t.Error(err)
	}
}

// Of a number that JSON cannot say nothing is written.
func TestWriteRefuses(t *testing.T) {
	r := benchmarktest.Small()
	r.Latency[0].AchievedPerS = math.NaN()
	var out strings.Builder
	if err := result.Write(&out, r); err == nil || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

func BenchmarkRead(b *testing.B) {
	text := encoded(b, benchmarktest.Example())
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
	r := benchmarktest.Example()
	b.SetBytes(int64(len(encoded(b, r))))
	b.ReportAllocs()
	for b.Loop() {
		encoded(b, r)
	}
}
