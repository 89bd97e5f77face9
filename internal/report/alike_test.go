package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// By hand: of three rows with the same decisions the third delays, and the floor is never one of them.
func TestRowsThatDecideAlikeStandTogether(t *testing.T) {
	doc := resulttest.ExtremeCase()
	run := &doc.Runs[0]
	run.Expectations, run.Reference = nil, nil
	same, two := resulttest.Counted(1785, 1765, 765), 2.0
	bound := 1.999
	run.Results = []result.Row{resulttest.Row("none", nil, same), resulttest.Row("gcra", nil, same),
		resulttest.Row("sliding-window-log", nil, resulttest.Counted(1020, 1000, 0)), resulttest.Row("leaky-bucket",
			nil, same),
		resulttest.Row("token-bucket", nil, same)}
	run.Results[3].Shaping = &measure.Shaping{DelayUS: measure.Percentiles{P50: 1, P99: 1, Max: 1}}
	run.Results[4].Guarantee, run.Results[4].Commands = &bound, &two
	want := []string{
		"none                   2000      1785       215  1765     1.76          -    0%     -",
		"gcra                   2000      1785       215  1765     1.76          -    0%     -",
		"= token-bucket                                                      <2.00        2.00",
		"sliding-window-log     2000      1020       980  1000     1.00          -    0%     -",
		"leaky-bucket           2000      1785       215  1765     1.76          -    0%     -",
	}
	table := render(func(w *strings.Builder) error { return writeTable(w, doc, Terminal{Width: 120}) })
	_, rows, _ := strings.Cut(table, "---\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	if diff := cmp.Diff(want, strings.Split(rows, "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, table)
	}
	if !strings.Contains(table, alikeNote) {
		t.Errorf("no legend in\n%s", table)
	}
	for name, write := range map[string]func(*strings.Builder, *result.Document) error{
		"CSV":  func(w *strings.Builder, d *result.Document) error { return writeRows(w, d) },
		"JSON": func(w *strings.Builder, d *result.Document) error { return result.Write(w, d) },
	} {
		text := render(func(w *strings.Builder) error { return write(w, doc) })
		if n := strings.Count(text, same.DecisionsDigest); n != 4 {
			t.Errorf("%s has %d of the four rows:\n%s", name, n, text)
		}
	}
	run.Results[4].MostAdmitted = []int64{1}
	if n := len(run.Alike()); n != 5 {
		t.Errorf("%d groups, though the last lets through at other moments", n)
	}
}
