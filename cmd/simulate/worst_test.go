package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/commandline"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/worst"
)

// An interrupt ends a search with what it has: 130, the files, and no claim that a server confirmed anything.
func TestWorstInterrupted(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	var stdout, stderr bytes.Buffer
	dir := filepath.Join(t.TempDir(), "out")
	code := run([]string{"worst", "gcra", "fixed-window", "--limit", "100000/1s", "--out", dir},
		commandline.Streams{Stdout: &stdout, Stderr: &stderr, Stop: stop})
	if code != commandline.ExitInterrupted || !strings.Contains(stdout.String(), "PARTIAL") ||
		!strings.Contains(stdout.String(), "interrupted; this is the worst found so far") {
		t.Errorf("%d\n%s%s", code, &stdout, &stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "worst.json"))
	if err != nil || !bytes.Contains(data, []byte(`"partial": true`)) ||
		bytes.Contains(data, []byte(`"confirmed": true`)) {
		t.Errorf("%v\n%s", err, data)
	}
	if _, err := os.Stat(filepath.Join(dir, "worst-gcra.yaml")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "worst-fixed-window.yaml")); err == nil {
		t.Error("a search that had not begun left a file")
	}
}

// A broken bound is exit code 1, and names the scenario that shows it.
func TestWorstBroken(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{commandline.Streams{Stdout: &stdout, Stderr: &stderr}}
	f := &worstFlags{Output: commandline.Output{Format: "table", Folder: "out"}}
	doc := &worst.Document{WithinUS: 1000, Limit: result.Limit{Requests: 5, WindowUS: 1000, Burst: 5},
		Results: []worst.Finding{{Algorithm: "mine", MostAdmitted: 12, Bound: 10, BoundReached: 1.2, Broken: true,
			File: "worst-mine.yaml"}}}
	err := a.deliverWorst(f, doc, func() error { return nil })
	if commandline.ExitCode(err) != commandline.ExitMissed || !strings.Contains(err.Error(), "12 admitted") ||
		!strings.Contains(err.Error(), filepath.Join("out", "worst-mine.yaml")) {
		t.Errorf("%v", err)
	}
	if !strings.Contains(stdout.String(), "BROKEN: mine admits 12 in 1ms, and its bound is 10: see worst-mine.yaml") {
		t.Errorf("%s", &stdout)
	}
}

// A script that decides otherwise than its model is told with both figures, and with code 3.
func TestWorstScriptDiffers(t *testing.T) {
	side := func(peak int64, sha string) *report.Run {
		r := &report.Run{Server: result.Server{Kind: "embedded", Name: "miniredis", Version: "1", Transport: "pipe"},
			Results: []report.Row{{Algorithm: "mine"}}}
		r.Results[0].PeakWindowAdmitted, r.Results[0].DecisionsDigest = peak, strings.Repeat(sha, 64)
		return r
	}
	one := &finding{row: worst.Finding{PeakWindowAdmitted: 7, File: "worst-mine.yaml"}}
	if err := agree(one, side(7, "a"), side(7, "a")); err != nil {
		t.Error(err)
	}
	for want, err := range map[string]error{
		"8 in a window on miniredis 1 (embedded, pipe), decisions bbbbbbbbbbbb…; 7 in the model, " +
			"decisions aaaaaaaaaaaa…; see worst-mine.yaml": agree(one, side(8, "b"), side(7, "a")),
		"decisions bbbbbbbbbbbb…":                           agree(one, side(7, "b"), side(7, "a")),
		"the file admits 6 in a window, the search found 7": agree(one, side(6, "a"), side(6, "a")),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || commandline.ExitCode(err) != commandline.ExitHarness {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
