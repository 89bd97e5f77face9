package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/commandline"
	"ratelab/internal/scenario"
)

// What is accepted is what the check wants; a page that shows another figure is named. One scenario stands for all.
func TestAcceptedResultsPass(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{commandline.Streams{Stdout: &stdout, Stderr: &stderr}}
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	others := func(s *scenario.Scenario) bool { return s.Name != "extreme-case-1" }
	result, err := a.newJob(slices.DeleteFunc(all, others)).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := a.accept(dir, result); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{golden, "README.md", indexPage, "charts/extreme-case-1.window.svg"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if err := checkPage(dir, result); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, indexPage)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.ReplaceAll(text, []byte(">1,785<"), []byte(">1,786<"))
	if bytes.Equal(other, text) {
		t.Fatal("the page does not show 1,785")
	}
	if err := os.WriteFile(path, other, 0o644); err != nil {
		t.Fatal(err)
	}
	err = checkPage(dir, result)
	if err == nil || !strings.Contains(err.Error(), indexPage+" does not show these figures") {
		t.Errorf("a page with another figure: %v", err)
	}
}
