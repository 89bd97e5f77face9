package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder is free for results where it is new, empty or has a document of ours. Nothing is made there beforehand.
func TestCheckFolder(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	site := put("site/index.html", "<h1>mine</h1>")
	theirs := put("theirs/a.json", `{"tool": {"name": "mine"}}`)
	ours := put("ours/a.json", `{"tool": {"name": "bench"}}`)
	put("ours/chart.svg", "<svg>")
	hidden := put("hidden/.gitkeep", "")
	for _, c := range []struct {
		folder      string
		good, force bool
	}{
		{filepath.Join(root, "new", "folder"), true, true}, {filepath.Dir(hidden), true, true},
		{filepath.Dir(ours), true, true}, {filepath.Dir(site), false, true}, {filepath.Dir(theirs), false, true},
		{site, false, false}, {filepath.Join(site, "below", "it"), false, false},
	} {
		if err := CheckFolder("--out", c.folder, false); c.good != (err == nil) || ExitCode(err) == ExitHarness {
			t.Errorf("%s: %v", c.folder, err)
		}
		if err := CheckFolder("--out", c.folder, true); c.force != (err == nil) {
			t.Errorf("%s, with --force: %v", c.folder, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "new")); err == nil {
		t.Error("a folder was made")
	}
	if CheckFile(theirs, false) == nil || CheckFile(theirs, true) != nil || CheckFile(ours, false) != nil {
		t.Error("a file: ours alone may be replaced, and any with force")
	}
}
