package scenario

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/strictyaml"
)

var update = flag.Bool("update", false, "rewrite the expected messages of testdata/bad; read the difference")

// TestBadFiles holds every file of testdata/bad against its exact messages, in the .txt of the same name.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d bad files, %v; want at least 40", len(files), err)
	}
	for _, file := range files {
		t.Run(baseName(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(filepath.Base(file), data)
			if err == nil {
				t.Fatal("the file was accepted")
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, readErr := os.ReadFile(golden)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if got, want := err.Error()+"\n", strings.ReplaceAll(string(want), "\r\n", "\n"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			checkShape(t, filepath.Base(file), err)
		})
	}
}

// checkShape: one line each, with file, line and column, in order, with something wanted, and harmless to a
// terminal.
func checkShape(t *testing.T, file string, err error) {
	t.Helper()
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) == 0 {
		t.Fatalf("%T is not a list of problems", err)
	}
	for i, p := range all {
		text := p.Error()
		switch {
		case p.File != file || p.Line < 1 || p.Column < 1:
			t.Errorf("no place: %s", text)
		case !strings.Contains(p.Message, "want ") && !strings.Contains(p.Message, "leave "):
			t.Errorf("nothing is wanted: %s", text)
		case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
			t.Errorf("control characters: %q", text)
		case i > 0 && (all[i-1].Line > p.Line || all[i-1].Line == p.Line && all[i-1].Column > p.Column):
			t.Errorf("not in the order of the file: %s", text)
		}
	}
}

func TestOversizeFile(t *testing.T) {
	_, err := Parse("big.yaml", []byte(strings.Repeat("# no\n", 1<<18)))
	if want := "big.yaml:1:1: the file has more than 1048576 bytes; want at most that"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
