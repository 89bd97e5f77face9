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
	writers := map[string]func(*strings.Builder, *result.Document) error{
		"table.txt": func(w *strings.Builder,
			d *result.Document) error {
			return writeTable(w, d, Terminal{Width: 100})
		},
		"table-narrow.txt": func(w *strings.Builder,
			d *result.Document) error {
			return writeTable(w, d, Terminal{Width: 80})
		},
		"matrix.txt": func(w *strings.Builder, d *result.Document) error {
			return WriteMatrix(w, d, Terminal{Width: 80})
		},
		"matrix-narrow.txt": func(w *strings.Builder, d *result.Document) error {
			return WriteMatrix(w, d, Terminal{Width: 30})
		},
		"table.ansi": func(w *strings.Builder,
			d *result.Document) error {
			return writeTable(w, d, Terminal{Color: true})
		},
		"json":  func(w *strings.Builder, d *result.Document) error { return result.Write(w, d) },
		"csv":   func(w *strings.Builder, d *result.Document) error { return Simulated{}.writeRows(w, d) },
		"md":    func(w *strings.Builder, d *result.Document) error { return writeMarkdown(w, d) },
		"bench": func(w *strings.Builder, d *result.Document) error { return writeLines(w, d) },
	}
	for base, doc := range map[string]*result.Document{"extreme-case": resulttest.ExtremeCase(),
		"every-measure": resulttest.EveryMeasure()} {
		for extension, write := range writers {
			got := render(func(w *strings.Builder) error { return write(w, doc) })
			checkGolden(t, base+"."+extension, got)
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

// The command's formats are the renderers, under the names it offers.
func TestWriteKnowsItsFormats(t *testing.T) {
	doc := resulttest.ExtremeCase()
	for format, golden := range map[string]string{"json": "json", "csv": "csv", "markdown": "md", "bench": "bench"} {
		checkGolden(t, "extreme-case."+golden,
			render(func(w *strings.Builder) error { return documentFormats.Write(w, format, doc, Terminal{}) }))
	}
	for _, format := range documentFormats.Names() {
		if err := documentFormats.Write(&strings.Builder{}, format, doc, Terminal{}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	err := documentFormats.Write(&strings.Builder{}, "xml", doc, Terminal{})
	if err == nil || err.Error() != `format "xml": want one of table, json, csv, markdown, bench` {
		t.Errorf("xml: %v", err)
	}
}
