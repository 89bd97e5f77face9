package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteReplacesTheWholeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	for _, want := range []string{"first, and longer than the second", "second"} {
		if err := Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want a file that others can read", info.Mode(), err)
	}
}

func TestAFailureLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	if err := Write(path, text("before")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the writer's own error", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "before" {
		t.Errorf("the file now holds %d bytes, beginning %.20q", len(got), got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v, %v; want the file alone", entries, err)
	}
}

func TestAFolderThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nowhere", "result.json")
	if err := Write(path, text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the folder does not exist", err)
	}
}
