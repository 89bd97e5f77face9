package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ratelab/internal/atomicfile"
)

// contents are the files of a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

// A file takes its place when it is whole, and until then the old one stands there.
func TestAFileAppearsWhenItIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	for _, text := range []string{"first", strings.Repeat("second ", 100_000), ""} {
		before := contents(t, dir)["result.json"]
		err := atomicfile.Write(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
			if now := contents(t, dir)["result.json"]; now != before {
				t.Errorf("%d bytes stand there before the file is whole; want %d", len(now), len(before))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if all := contents(t, dir); len(all) != 1 || all["result.json"] != text {
			t.Errorf("%d files, %d bytes; want one of %d", len(all), len(all["result.json"]), len(text))
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want one that others can read", info.Mode(), err)
	}
}

// What fails in the middle leaves everything as it was.
func TestAFailureLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "result.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no server")
	err := atomicfile.Write(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("new", 1<<20)); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if all := contents(t, dir); len(all) != 1 || all["result.json"] != "old" {
		t.Errorf("the folder has %d files", len(all))
	}
}

// Where there is no folder, or the path is one, nothing is written and nothing is left.
func TestAPlaceThatCannotBeTakenIsAnError(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "folder", "file")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent", "file"), filepath.Join(dir, "folder")} {
		if err := atomicfile.Write(path, func(w io.Writer) error { return nil }); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %d entries (%v)", len(entries), err)
	}
}

// What a killed run left is swept, and what a living one is at, or somebody else's, is not.
func TestOnlyOldTemporaryFilesAreSwept(t *testing.T) {
	dir := t.TempDir()
	names := []string{".ratelab-1.tmp", ".ratelab-2.tmp", ".ratelab-notes.tmp", ".result.json.123", "decisions-1"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		age := 25 * time.Hour
		if name == names[1] {
			age = 23 * time.Hour
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".ratelab-3.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) || entries[0].Name() != names[1] {
		t.Errorf("%v, %v; want all but %s", entries, err, names[0])
	}
}

// A name that is nearly too long for the folder has room for its temporary file.
func TestALongNameCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250)+".svg")
	if err := atomicfile.Write(path, func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
}
