package report

import (
	"encoding/csv"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

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

// The tables keep within their columns, whatever the labels, and carry no blanks at the end.
func TestTableFits(t *testing.T) {
	long := unlucky()
	const label = "token-bucket-interval:capacity=1000:interval=10s:refill=100"
	long.Runs[1].Results[2].Algorithm, long.Latency[9].Algorithm = label, label
	for width, r := range map[int]*result.Document{0: long, 96: long, 140: benchmarktest.Example()} {
		var out strings.Builder
		if err := BenchmarkFormats.Write(&out, TableFormat, r, Terminal{Width: width}); err != nil {
			t.Fatal(err)
		}
		most := width
		if most == 0 {
			most = 100
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := text.StringWidthWithoutEscSequences(line); n > most || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %d columns, or blanks at the end: %q", width, n, line)
			}
		}
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

// A percentile of fewer than a hundred durations is not told, in any form.
func TestFewDurationsHaveNoPercentiles(t *testing.T) {
	of := func(n int64) benchFigures {
		h := result.NewHistogram()
		h.RecordValues(7, n)
		f := benchFigures{}
		f.times("response", h)
		return f
	}
	if f := of(99); len(f) != 0 {
		t.Errorf("of 99: %v", f)
	}
	if f := of(100); *f["response_p50_us"] != 7 || *f["response_p99_us"] != 7 {
		t.Errorf("of 100: %v", f)
	}
	p := &result.Play{Latency: &result.Latency{}, Row: &result.Row{}}
	if f := roundFigures(p, &result.Round{Admitted: 60, Rejected: 39, ResponseP99US: 7}); f["response_p99_us"] != nil {
		t.Errorf("of a round: %v", f)
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

// Names can neither steer a terminal, nor mark up a page, nor run in a spreadsheet.
func TestNamesAreDefused(t *testing.T) {
	r := benchmarktest.Small()
	r.Runs[0].Scenario, r.Runs[0].Question = "=1+1", "really\x1b[2J?"
	r.Runs[0].Results[0].Algorithm = "<b>|x\x07"
	r.Latency[0].Scenario, r.Latency[0].Algorithm = r.Runs[0].Scenario, r.Runs[0].Results[0].Algorithm
	r.Notes = []string{"a\nb"}
	for _, format := range BenchmarkFormats.Names()[2:] {
		if text := written(t, format, r); strings.ContainsAny(text, "\x1b\x07") && format != "csv" {
			t.Errorf("%s: control characters", format)
		}
	}
	if text := written(t, "table", r); strings.ContainsAny(text, "\x1b\x07") {
		t.Error("control characters reached the table")
	}
	if text := written(t, "markdown", r); strings.Contains(text, "<b>|x") {
		t.Error("a label marks up the page")
	}
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", r))).ReadAll()
	if err != nil || lines[1][slices.Index(lines[0], "scenario")] != "'=1+1" {
		t.Errorf("%v, %q", err, lines[1])
	}
}
