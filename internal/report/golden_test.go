package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

var update = flag.Bool("update", false, "rewrite testdata: read the difference before committing it")

// Each renderer's whole output for the worked case, and for a document in which everything is set.
func TestGolden(t *testing.T) {
	terminals := map[string]Terminal{"table.txt": {Width: 100}, "table-narrow.txt": {Width: 80},
		"table.ansi": {Color: true}}
	matrices := map[string]Terminal{"matrix.txt": {Width: 80}, "matrix-narrow.txt": {Width: 30}}
	formats := map[string]string{"json": "json", "csv": "csv", "md": "markdown", "bench": "bench"}
	for base, doc := range map[string]*result.Document{"extreme-case": resulttest.ExtremeCase(),
		"every-measure": resulttest.EveryMeasure()} {
		check := func(extension string, write func(*strings.Builder) error) {
			checkGolden(t, base+"."+extension, render(write))
		}
		for extension, terminal := range terminals {
			check(extension, func(w *strings.Builder) error { return writeTable(w, doc, terminal) })
		}
		for extension, terminal := range matrices {
			check(extension, func(w *strings.Builder) error { return WriteMatrix(w, doc, terminal) })
		}
		for extension, format := range formats {
			check(extension, func(w *strings.Builder) error {
				return documentFormats.Write(w, format, doc, Terminal{})
			})
		}
	}
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	unix := strings.ReplaceAll(string(want), "\r\n", "\n") // a checkout on Windows may have them
	if diff := cmp.Diff(unix, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
