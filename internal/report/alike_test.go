package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// By hand: of three rows with the same decisions the third delays, and the floor is no row. The one that guarantees
// most stands for those that decide alike.
func TestRowsThatDecideAlikeAreOne(t *testing.T) {
	doc := resulttest.ExtremeCase()
	run := &doc.Runs[0]
	run.Reference = nil
	same, two := resulttest.Counted(1785, 1765, 765), 2.0
	bound, exact := 1.999, 1.0
	run.Results = []result.Row{resulttest.Row("none", nil, same), resulttest.Row("gcra", nil, same),
		resulttest.Row("sliding-window-log", nil, resulttest.Counted(1020, 1000, 0)),
		resulttest.Row("leaky-bucket", nil, resulttest.Counted(1785, 1000, 0)),
		resulttest.Row("token-bucket", nil, same), resulttest.Row("my", nil, resulttest.Counted(1020, 1000, 0))}
	run.Results[2].Guarantee = &exact
	run.Results[3].Shaping = &measure.Shaping{DelayUS: measure.Percentiles{P50: 1, P99: 1, Max: 3_000_000}}
	run.Results[4].Guarantee, run.Results[4].Commands = &bound, &two
	const want = `Does 1000 per 3 s hold when demand peaks on both sides of a window's edge?
2000 requests of 1 key in 6 s; never more than 1000 in any 3 s; embedded; seed 1

limiter             admitted  rejected  peak  x limit  guarantee  lost  cmds
token-bucket            1785       215  1765     1.76      <2.00   0 %  2.00
sliding-window-log      1020       980  1000     1.00      exact   0 %     -
leaky-bucket            1785       215  1000     1.00          -   0 %     -

3 of 5 limiters keep the limit; leaky-bucket by holding requests back, up to 3
  s.
gcra decides as token-bucket, my as sliding-window-log.
2 of 2 expectations met. Charts are in out.
Next: simulate recommend extreme-case-1
`
	shown := Simulated{Charts: "out", Next: "simulate recommend extreme-case-1"}
	table := render(func(w *strings.Builder) error { return shown.WriteRun(w, run, true, Terminal{}) })
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, table)
	}
	for name, write := range map[string]func(*strings.Builder, *result.Document) error{
		"CSV":  func(w *strings.Builder, d *result.Document) error { return Simulated{}.writeRows(w, d) },
		"JSON": func(w *strings.Builder, d *result.Document) error { return result.Write(w, d) },
	} {
		text := render(func(w *strings.Builder) error { return write(w, doc) })
		if n := strings.Count(text, same.DecisionsDigest); n != 4 {
			t.Errorf("%s has %d of the four rows:\n%s", name, n, text)
		}
	}
	run.Results[4].MostAdmitted = []int64{1}
	if n := len(run.Alike()); n != 5 {
		t.Errorf("%d groups, though one row admits at other moments", n)
	}
}

// Columns that somebody asks for take the place of the usual ones, in every form. Former names are answered with those
// of today.
func TestColumns(t *testing.T) {
	run := &resulttest.ExtremeCase().Runs[0]
	shown := Simulated{Columns: []string{"offered", "lost"}}
	table := render(func(w *strings.Builder) error { return shown.WriteRun(w, run, true, Terminal{}) })
	if !strings.Contains(table, "limiter               offered  lost\nfixed-window-aligned     2000   0 %\n") {
		t.Error(table)
	}
	for name, want := range map[string]string{"lost": "", "clients.attempts": "", "overshoot": `"overshoot" is called x_limit`,
		"lust": `"lust" is not a column; did you mean "lost"?`} {
		err := CheckColumns([]string{name}, TableFormat)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
	if err := CheckColumns([]string{"scenario", "server_kind"}, "csv"); err != nil {
		t.Error(err)
	}
}

// The sentence counts the rows that keep the limit.
func TestKeepers(t *testing.T) {
	for want, excess := range map[string][]int64{"3 of 3 limiters keep the limit.": {0, 0, 0},
		"0 of 3 limiters keep the limit.": {1, 1, 1}, "1 of 3 limiters keeps the limit.": {1, 0, 1},
		"2 of 2 limiters keep the limit.": {0, 0}, "0 of 2 limiters keep the limit.": {1, 1}, "a keeps the limit.": {0},
		"a exceeds the limit.": {1}, "": {}} {
		r := &result.Run{}
		for i, e := range excess {
			r.Results = append(r.Results, result.Row{Algorithm: string(rune('a' + i)),
				Figures: measure.Figures{Result: measure.Result{Excess: e}}})
		}
		if got := Keepers(r, nil); got != want {
			t.Errorf("%v: %q, want %q", excess, got, want)
		}
	}
	r := &result.Run{Results: []result.Row{{Algorithm: "a"}, {Algorithm: "b"}}}
	known := []result.Examination{{Algorithm: "a", Findings: []result.Finding{{Name: "admits 199 in 1m"}}},
		{Algorithm: "b", Findings: []result.Finding{{Fault: true, Name: "never expires"}}}}
	want := "2 of 2 limiters keep the limit; but b has a fault: never expires."
	if got := Keepers(r, known); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
