package report

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"ratelab/internal/result/resulttest"
)

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
