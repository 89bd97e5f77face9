package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ratelab/internal/longtest"
	"ratelab/internal/result"
)

// However early or late the program is killed while it writes, no file with a final name is torn: where bench.json
// stands, it can be read, and pictures have an end.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "one.json")
	var text bytes.Buffer
	if err := writeExample(&text, "valid"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(input, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, files := range []int{1, 12, 5, 8, 16}[:longtest.Of(5, 2)] {
		out := t.TempDir()
		killAfter(t, files, out, input, "--charts", "svg", "--out", out)
		checkWhole(t, out)
	}
}

// killAfter delivers a result and kills that once there are so many files in out.
func killAfter(t *testing.T, files int, out string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("deliver") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	for count(t, out) < files {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
	cmd.Process.Kill()
	<-ended
}

func count(t *testing.T, dir string) int {
	n := 0
	walk(t, dir, func(string) { n++ })
	return n
}

func walk(t *testing.T, dir string, visit func(path string)) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			visit(path)
		}
		return nil // a temporary file may go while we look
	})
}

func checkWhole(t *testing.T, dir string) {
	t.Helper()
	walk(t, dir, func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ending := map[string]string{".svg": "</svg>", ".json": "}"}[filepath.Ext(path)]
		if name := filepath.Base(path); name[0] != '.' && !bytes.HasSuffix(bytes.TrimSpace(text), []byte(ending)) {
			t.Errorf("%s is torn: it ends in %q", path, text[max(0, len(text)-40):])
		}
	})
	file := filepath.Join(dir, result.OfBench.File())
	if _, err := os.Stat(file); err != nil {
		return
	}
	if _, err := result.Read(file, result.OfBench); err != nil {
		t.Error(err)
	}
}
