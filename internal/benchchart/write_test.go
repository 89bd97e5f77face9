package benchchart

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var preview = flag.String("preview", "", "a folder to draw every test picture into, to be looked at")

// A picture can only be judged by looking at it: go test -run Preview -preview /tmp/charts.
func TestPreview(t *testing.T) {
	if *preview == "" {
		t.Skip("nobody looks")
	}
	for _, s := range situations() {
		dir := filepath.Join(*preview, s.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(dir, s.in, "png"); err != nil {
			t.Fatal(err)
		}
	}
}

// No text meets another or leaves the page, in any situation.
func TestTextsKeepApart(t *testing.T) {
	for _, s := range situations() {
		pictures, _ := draw(newScene(s.in))
		for _, p := range pictures {
			for _, fault := range p.Faults() {
				t.Errorf("%s: %s: %s", s.name, p.Name, fault)
			}
		}
	}
}
