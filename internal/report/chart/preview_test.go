package chart

import (
	"flag"
	"os"
	"testing"
)

var preview = flag.String("preview", "", "a folder to draw every test picture into, to be looked at")

// A picture can only be judged by looking at it: go test -run Preview -preview /tmp/charts.
func TestPreview(t *testing.T) {
	dir := *preview
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, in := range situations() {
		paths, err := Write(dir, in)
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) != 9 {
			t.Errorf("%s: wrote %d files, want three pictures in two formats and their data", in.Run.Scenario, len(paths))
		}
	}
}
