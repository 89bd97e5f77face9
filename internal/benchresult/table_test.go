package benchresult_test

import (
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/sheet"
)

var update = flag.Bool("update", false, "write the golden files again; read the difference before you commit it")

func written(t *testing.T, format string, r *benchresult.Document) string {
	t.Helper()
	var out strings.Builder
	if err := benchresult.Forms.Write(&out, format, r, sheet.Terminal{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// unlucky is the example interrupted and invalid, on a server that others use.
func unlucky() *benchresult.Document {
	r := benchresulttest.Shared()
	r.Partial, r.Validity = true, benchresulttest.Invalid().Validity
	return r
}

func TestGolden(t *testing.T) {
	for name, text := range map[string]string{
		"example.table.txt": written(t, "table", example()), "example.md": written(t, "markdown", example()),
		"example.csv": written(t, "csv", example()), "unlucky.table.txt": written(t, "table", unlucky()),
		"unlucky.md": written(t, "markdown", unlucky()), "small.bench": written(t, "bench", small()),
	} {
		path := filepath.Join("testdata", name)
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
	long.Runs[1].Rows[2].Algorithm = "token-bucket-interval:capacity=1000:interval=10s:refill=100"
	long.Costs[2].Algorithm = long.Runs[1].Rows[2].Algorithm
	for width, r := range map[int]*benchresult.Document{0: long, 96: long, 140: example()} {
		var out strings.Builder
		if err := benchresult.WriteTable(&out, r, sheet.Terminal{Width: width}); err != nil {
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
	if text := written(t, "table", example()); strings.Contains(text, "INVALID") || strings.Contains(text, "PARTIAL") {
		t.Error("a valid run is called otherwise")
	}
}

// A document without anything is written in every form.
func TestEmptyDocument(t *testing.T) {
	r := &benchresult.Document{Header: example().Header}
	for _, format := range benchresult.Forms.Names() {
		if text := written(t, format, r); text == "" {
			t.Errorf("%s is empty", format)
		}
	}
	r.Runs = []benchresult.Play{{Scenario: "s",
		Rows: []benchresult.Limiter{{Identity: benchresult.Identity{Algorithm: "a"}}}}}
	r.Costs = []benchresult.Cost{{Identity: benchresult.Identity{Algorithm: "a"}}}
	for _, format := range benchresult.Forms.Names() {
		written(t, format, r)
	}
}

func TestWriteRefusesFormats(t *testing.T) {
	err := benchresult.Forms.Write(&strings.Builder{}, "tabel", small(), sheet.Terminal{})
	if err == nil || err.Error() != `format "tabel": did you mean "table"? want one of table, json, csv, markdown, bench` {
		t.Error(err)
	}
}

// Names can neither steer a terminal, nor mark up a page, nor run in a spreadsheet.
func TestNamesAreDefused(t *testing.T) {
	r := small()
	r.Runs[0].Scenario, r.Runs[0].Question = "=1+1", "really\x1b[2J?"
	r.Runs[0].Rows[0].Algorithm = "<b>|x\x07"
	r.Notes = []string{"a\nb"}
	for _, format := range benchresult.Forms.Names()[2:] {
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
