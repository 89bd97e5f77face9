package report

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchfmt"

	"ratelab/internal/result/resulttest"
)

// A table for a log is plain ASCII and keeps within its columns.
func TestTableIsPlainAndFits(t *testing.T) {
	doc := resulttest.ExtremeCase()
	doc.Runs[0].Results[2].Algorithm = "token-bucket-interval:capacity=1000:refill=10"
	for _, width := range []int{88, 100, 140} {
		out := render(func(w *strings.Builder) error { return writeTable(w, doc, Terminal{Width: width}) })
		for line := range strings.SplitSeq(out, "\n") {
			if n := text.StringWidthWithoutEscSequences(line); n > width || strings.HasSuffix(line, " ") {
				t.Errorf("width %d: %d columns, or blanks at the end: %q", width, n, line)
			}
		}
		for _, r := range out {
			if r > '~' || r < ' ' && r != '\n' {
				t.Fatalf("%q in a table for a log", r)
			}
		}
	}
}

// Every cell comes back as it went in, but for the apostrophe before what a spreadsheet would run.
func TestCSVReadsBack(t *testing.T) {
	out := render(func(w *strings.Builder) error { return Simulated{}.writeRows(w, resulttest.EveryMeasure()) })
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+5+1 {
		t.Fatalf("%d lines, want a header, five algorithms and the reference", len(lines))
	}
	cell := func(line int, column string) string {
		for i, name := range lines[0] {
			if name == column {
				return lines[line][i]
			}
		}
		t.Fatalf("no column %s", column)
		return ""
	}
	if got, want := cell(4, "algorithm"), "'"+resulttest.EveryMeasure().Runs[0].Results[3].Algorithm; got != want {
		t.Errorf("algorithm %q, want %q", got, want)
	}
	if cell(3, "admitted") != "1785" || cell(3, "x_limit") != "1.765" || cell(3, "parameters") != "burst=1000" ||
		cell(6, "bytes_per_key") != "" {
		t.Errorf("line of gcra is %q", lines[3])
	}
}

// The reader that benchstat uses finds every measure under its name, and no line to complain about.
func TestBenchIsReadByBenchfmt(t *testing.T) {
	doc := resulttest.ExtremeCase()
	doc.Runs[0].Results[0].Algorithm = "my script/v-2"
	out := render(func(w *strings.Builder) error { return writeLines(w, doc) })
	reader := benchfmt.NewReader(strings.NewReader(out), "results")
	read := map[string]*benchfmt.Result{}
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			read[string(record.Name)] = record.Clone()
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	gcra := read["Simulate/scenario=extreme-case-1/algorithm=gcra:burst=100"]
	if gcra == nil || read["Simulate/scenario=extreme-case-1/algorithm=my_script_v-2-1"] == nil || len(read) != 6 {
		t.Fatalf("read %d results: %v", len(read), read)
	}
	for unit, want := range map[string]float64{"admitted": 885, "x_limit": 0.865, "lost": 135.0 / 1020,
		"round_trips": 1} {
		if got, found := gcra.Value(unit); !found || got != want {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
	if gcra.GetConfig("scenario") != "extreme-case-1" ||
		gcra.GetConfig("server") != "miniredis 2.40.0 (embedded, pipe)" {
		t.Errorf("configuration %v", gcra.Config)
	}
	if meta := reader.Units().Get("admitted", "assume"); meta == nil || meta.Value != "exact" {
		t.Error("the unit admitted is not declared exact")
	}
}
