package report

import (
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// A shaper is ok by what leaves it: the matrix says that it delays.
func TestTheMatrixSaysWhoDelays(t *testing.T) {
	doc := resulttest.ExtremeCase()
	matrix := func() string {
		return render(func(w *strings.Builder) error { return WriteMatrix(w, doc, Terminal{}) })
	}
	if out := matrix(); strings.Contains(out, "delay") {
		t.Errorf("nobody delays:\n%s", out)
	}
	row := &doc.Runs[0].Results[len(doc.Runs[0].Results)-1]
	row.Shaping = &measure.Shaping{DelayUS: measure.Percentiles{P50: 1, P99: 1, Max: 1}}
	want := "; " + row.Algorithm + " delays requests, which count when they leave"
	if out := matrix(); !strings.Contains(out, want) {
		t.Errorf("%s delays:\n%s", row.Algorithm, out)
	}
}

// Rows of one word stand together, without the floor.
func TestAtAGlance(t *testing.T) {
	run := &result.Run{Results: []result.Row{
		{Algorithm: result.FloorLabel, Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 2}}},
		{Algorithm: "a", Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 1.98}}},
		{Algorithm: "b"},
		{Algorithm: "c", Figures: measure.Figures{Result: measure.Result{Excess: 5, XLimit: 1.98}}},
	}}
	if got, want := AtAGlance(run), "1.98 a, c; ok b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What got through too much and what was lost have colours of their own, the stronger the more.
func TestBothErrorsHaveAColour(t *testing.T) {
	row := func(label string, admitted, excess, shortfall int64) result.Row {
		return result.Row{Algorithm: label, Figures: measure.Figures{Result: measure.Result{AdmittedCost: admitted,
			Excess: excess, ExactCost: 100, Lost: float64(shortfall) / 100, XLimit: float64(admitted) / 100}}}
	}
	run := result.Run{Limit: result.Limit{Requests: 100, WindowUS: 1e6},
		Results: []result.Row{row("twice", 200, 100, 0), row("half", 50, 0, 50), row("right", 100, 0, 0)}}
	matrix := Matrix(&result.Document{Runs: []result.Run{run}})
	html := string(Sheet{{Tables: []Table{matrix}}}.HTML())
	for _, want := range []string{`class="shade4">2.00<`, `class="lack4">-50%<`, ">ok<"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}
