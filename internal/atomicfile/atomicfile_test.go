package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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

// TestMain lets the test's binary be a run that is killed in the middle of a file.
func TestMain(m *testing.M) {
	if path := os.Getenv("RATELAB_TEST_WRITES"); path != "" {
		atomicfile.Write(path, func(w io.Writer) error {
			os.Stdout.WriteString("begun\n")
			_, err := os.Stdin.Read(make([]byte, 1))
			return err
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// What a killed run leaves is swept, and what a living one is at, or somebody else, is not.
func TestOnlyTheFilesOfTheDeadAreSwept(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RATELAB_TEST_WRITES="+filepath.Join(dir, "result.json"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	foreign := []string{".result.json.123", ".ratelab-notes.tmp", "decisions-1"}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(want int) {
		t.Helper()
		if err := atomicfile.Sweep(dir); err != nil {
			t.Fatal(err)
		}
		if all := contents(t, dir); len(all) != want {
			t.Errorf("%d files; want %d: %v", len(all), want, all)
		}
	}
	sweep(len(foreign) + 1)
	if err := atomicfile.Write(filepath.Join(dir, "mine"),
		func(io.Writer) error { sweep(len(foreign) + 2); return nil }); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	sweep(len(foreign) + 1)
}

// A name that is nearly too long for the folder has room for its temporary file.
func TestALongNameCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250)+".svg")
	if err := atomicfile.Write(path, func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
}
