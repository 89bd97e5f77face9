package accesslog

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of formats into schema and page")

// The schema of scenarios and the page about them list every format, as the files of the formats tell. -update writes
// the lists.
func TestFormatsAreListed(t *testing.T) {
	files, err := filepath.Glob("formats/*")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	rows := ""
	for i, f := range Formats() {
		about := "LiteLLM_SpendLogs as CSV, with the tokens and durations of calls"
		if f != LiteLLM {
			about, _, _ = strings.Cut(contents(t, files[i]), "\n")
		}
		names = append(names, fmt.Sprintf("%q", f))
		rows += fmt.Sprintf("| `%s` | %s |\n", f, strings.TrimPrefix(about, "# "))
	}
	wantList(t, "../../scenarios/schema.json", `"format": {"anyOf": [{"enum": [`, strings.Join(names, ", "), `]}, `)
	wantList(t, "../../docs/scenarios.md", "| format | what |\n|---|---|\n", rows, "| `'$remote_addr")
}

// wantList wants a list in a file, between two texts.
func wantList(t *testing.T, file, before, list, after string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), before)
	got, tail, closed := strings.Cut(rest, after)
	switch {
	case !found || !closed:
		t.Errorf("%s has no list of formats", file)
	case got != list && *update:
		if err := os.WriteFile(file, []byte(head+before+list+after+tail), 0o644); err != nil {
			t.Error(err)
		}
	case got != list:
		t.Errorf("%s lists\n%s\nwant\n%s\n-update writes it", file, got, list)
	}
}
