package commandline

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that was made for nothing is taken away again, with those above it, but never one that was there, nor one
// that something has been put into.
func TestMakeFolderGivesBack(t *testing.T) {
	root := t.TempDir()
	giveBack, err := MakeFolder("--out", filepath.Join(root, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	giveBack()
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	giveBack, err = MakeFolder("--out", filepath.Join(root, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a", "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	giveBack()
	if _, err := os.Stat(filepath.Join(root, "a", "mine")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(root, "a", "b")); err == nil {
		t.Error("b is left")
	}
}

func TestMakeFolderRefusesFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below", "it")} {
		if _, err := MakeFolder("--out", path); ExitCode(err) != ExitUsage {
			t.Errorf("%s: %v", path, err)
		}
	}
}
