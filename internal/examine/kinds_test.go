package examine

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ratelab/internal/result"
)

// sayings matches the kind of a finding where the source names it.
var sayings = regexp.MustCompile(`(?:kind: *|say\([a-z]+, |note\()"([a-z_0-9]+)"`)

// Every kind that examine names has a help text, for SARIF.
func TestEveryKindHasHelp(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range sayings.FindAllSubmatch(text, -1) {
			seen++
			if kind := string(found[1]); result.Kinds[kind].Help == "" {
				t.Errorf("%s: %s is not in internal/result/kinds.txt", file, kind)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d kinds were found in the source", seen)
	}
}
