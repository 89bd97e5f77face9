package report

import (
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

func written(t *testing.T, format string, r *result.Document) string {
	t.Helper()
	var out strings.Builder
	if err := BenchmarkFormats.Write(&out, format, r, Terminal{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// unlucky is the example interrupted and invalid, on a server that keeps no statistics.
func unlucky() *result.Document {
	r := benchmarktest.Shared()
	r.Partial, r.Validity = true, benchmarktest.Invalid().Validity
	return r
}

func TestGoldenOfBench(t *testing.T) {
	for name, text := range map[string]string{
		"example.table.txt": written(t, "table", benchmarktest.Example()),
		"example.md":        written(t, "markdown", benchmarktest.Example()),
		"example.csv":       written(t, "csv", benchmarktest.Example()),
		"unlucky.table.txt": written(t, "table", unlucky()),
		"unlucky.md":        written(t, "markdown", unlucky()),
		"small.bench":       written(t, "bench", benchmarktest.Small()),
	} {
		checkGolden(t, filepath.Join("bench", name), text)
	}
}

// A single scenario is one part: what was played on what, its table, the noise, and what follows.
func TestOneScenarioIsOnePart(t *testing.T) {
	r := benchmarktest.Example()
	r.Runs = r.Runs[:1]
	lines := strings.Split(written(t, "table", r), "\n")
	if want := "Redis 8.0.3 in a container, 2 cores; 5 rounds of 6660 requests in 2s; limit 333/1s"; lines[0] != want {
		t.Errorf("it begins %q; want %q", lines[0], want)
	}
	if n := len(lines); n > 24 {
		t.Errorf("%d lines", n)
	}
}

// What costs more, the way or the rule, follows from the control's round trip and the dearest rule's time.
func TestWhatCostsMore(t *testing.T) {
	plays := func(us float64) []result.Play {
		none := &result.Latency{Algorithm: "none", Outcomes: result.NewOutcomes()}
		none.Outcomes.Admitted.Service.RecordValues(150, 100)
		return []result.Play{{Latency: none}, {Latency: &result.Latency{Algorithm: "mine", ServerUSPerCall: &us,
			Outcomes: result.NewOutcomes()}}}
	}
	for us, want := range map[float64]string{
		40:  "At this rate the round trip costs more than any of these rules.",
		100: "", // the same code differs by as much
		151: "",
		224: "",
		400: "At this rate mine costs more than the round trip.",
	} {
		if got := dearest(plays(us), result.NoiseFloor{Pairs: 4, ServerUS: 1.1, ResponseP50US: 1.5}); got != want {
			t.Errorf("%v: %q, want %q", us, got, want)
		}
	}
	if got := dearest(plays(40)[1:], result.NoiseFloor{Pairs: 4, ServerUS: 1.1}); got != "" {
		t.Errorf("without the control: %q", got)
	}
	if got := dearest(plays(40), result.NoiseFloor{}); got != "" {
		t.Errorf("of one round: %q", got)
	}
}

// A document without anything is written in every form.
func TestEmptyDocument(t *testing.T) {
	r := &result.Document{Measurement: benchmarktest.Example().Measurement}
	for _, format := range BenchmarkFormats.Names() {
		if text := written(t, format, r); text == "" {
			t.Errorf("%s is empty", format)
		}
	}
	r.Runs = []result.Run{{Scenario: "s", Results: []result.Row{{Algorithm: "a"}}}}
	r.Latency = []result.Latency{{Scenario: "s", Algorithm: "a"}}
	for _, format := range BenchmarkFormats.Names() {
		written(t, format, r)
	}
}
