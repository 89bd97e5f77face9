package report

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"example.table.txt": written(t, "table", benchmarktest.Once()), "example.md": written(t, "markdown",
			benchmarktest.Once()),
		"example.csv": written(t, "csv", benchmarktest.Once()), "unlucky.table.txt": written(t, "table", unlucky()),
		"unlucky.md": written(t, "markdown", unlucky()), "small.bench": written(t, "bench", benchmarktest.Small()),
	} {
		path := filepath.Join("testdata", "bench", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), text); diff != "" {
			t.Errorf("%s (-golden +written; -update writes it again):\n%s", name, diff)
		}
	}
}

// The tables keep within their columns, whatever the labels, and carry no blanks at the end.
func TestTableFits(t *testing.T) {
	long := unlucky()
	long.Costs[2].Algorithm = "token-bucket-interval:capacity=1000:interval=10s:refill=100"
	long.Runs[1].Results[2].Algorithm, long.Latency[9].Algorithm = long.Costs[2].Algorithm, long.Costs[2].Algorithm
	for width, r := range map[int]*result.Document{0: long, 96: long, 140: benchmarktest.Once()} {
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

// What must not be relied on says so first and last, in every form that people read.
func TestInvalidAndPartialAreSaid(t *testing.T) {
	for _, format := range []string{"table", "markdown"} {
		lines := strings.Split(strings.TrimSpace(written(t, format, unlucky())), "\n")
		first, last := lines[0], lines[len(lines)-1]
		if !strings.Contains(first, "INVALID") || !strings.Contains(last, "PARTIAL") {
			t.Errorf("%s begins %q and ends %q", format, first, last)
		}
		whole := strings.Join(lines, " ")
		if strings.Contains(whole, "valid: the generator kept up") || strings.Count(whole, "203 ms") != 2 {
			t.Errorf("%s: the verdict is unclear", format)
		}
	}
	if text := written(t, "table", benchmarktest.Once()); strings.Contains(text, "INVALID") || strings.Contains(text,
		"PARTIAL") {
		t.Error("a valid run is called otherwise")
	}
}

// A document without anything is written in every form.
func TestEmptyDocument(t *testing.T) {
	r := &result.Document{Measurement: benchmarktest.Once().Measurement}
	for _, format := range BenchmarkFormats.Names() {
		if text := written(t, format, r); text == "" {
			t.Errorf("%s is empty", format)
		}
	}
	r.Runs = []result.Run{{Scenario: "s", Results: []result.Row{{Algorithm: "a"}}}}
	r.Latency = []result.Latency{{Scenario: "s", Algorithm: "a"}}
	r.Costs = []result.Cost{{Identity: result.Identity{Algorithm: "a"}}}
	for _, format := range BenchmarkFormats.Names() {
		written(t, format, r)
	}
}

func TestWriteRefusesFormats(t *testing.T) {
	err := BenchmarkFormats.Write(&strings.Builder{}, "tabel", benchmarktest.Small(), Terminal{})
	if err == nil ||
		err.Error() != `format "tabel": did you mean "table"? want one of table, json, csv, markdown, bench` {
		t.Error(err)
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
