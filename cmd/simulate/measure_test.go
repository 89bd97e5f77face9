package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/cli"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// A measure that only this file declares is in every form of output, in the page, in the list, and may be expected.
func TestAMeasureIsDeclaredOnce(t *testing.T) {
	was := measure.DecisionMeasures.Measures
	measure.DecisionMeasures.Measures = append(slices.Clone(was), measure.Measure{
		Name: "refused_share", Unit: measure.Share, Heading: "re-\nfused", Title: "refused",
		Help: "rejected requests, of all that were offered",
		In:   measure.Written | measure.Table | measure.Page | measure.Expected, Better: measure.Lower,
		Value: func(f *measure.Figures) measure.Value {
			return measure.Known(float64(f.Rejected) / float64(f.Offered))
		},
	})
	t.Cleanup(func() { measure.DecisionMeasures.Measures = was })

	out := t.TempDir()
	file := filepath.Join(out, "half.yaml")
	write(t, file, `name: half
question: Is half of the traffic refused?
limit: {requests: 10, per: 1s}
phases:
  - {name: all, duration: 2s, burst: {count: 20, every: 1s}}
expect:
  - {algorithm: gcra, refused_share: 0.5}
  - {algorithm: none, refused_share: {max: 0.1}}
`)
	for _, c := range []struct {
		format string
		want   []string
	}{
		{"table", []string{"re-", "fused", " 50 %", "2 of 2 expectations met"}},
		{"markdown", []string{"| refused |", "| 50 % |"}},
		{"csv", []string{",refused_share,", ",0.5,"}},
		{"json", []string{`"refused_share": 0.5`, `"measure": "refused_share"`}},
		{"bench", []string{"Unit refused_share assume=exact", " 0.5 refused_share"}},
	} {
		text := output(t, file, "-a", "gcra,none", "--redis", "model", "--charts", "none", "--format", c.format,
			"--out", filepath.Join(out, c.format))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", c.format, want, text)
			}
		}
		if c.format == "json" {
			doc, err := result.Read(filepath.Join(out, "json"), result.OfSimulate)
			if err != nil {
				t.Fatal(err)
			}
			if d := result.Compare(doc, doc); d != nil {
				t.Error(d)
			}
		}
	}
	output(t, file, "-a", "gcra,none", "--redis", "model", "--charts", "svg", "--out", filepath.Join(out, "page"))
	page, err := os.ReadFile(filepath.Join(out, "page", "index.html"))
	if err != nil || !strings.Contains(string(page),
		`title="rejected requests, of all that were offered">refused</th>`) {
		t.Errorf("the page has no column for it (%v)", err)
	}
	if text := output(t, "list", "measures"); !strings.Contains(text, "refused_share") {
		t.Errorf("the list has no\n%s", text)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// output is what simulate prints, and ends well.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := program(t.Context(), args, cli.Streams{Stdout: &stdout, Stderr: &stderr}); code != 0 {
		t.Fatalf("simulate %q: %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}
