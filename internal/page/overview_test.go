package page

import (
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// What got through too much and what was lost have colours of their own, the stronger the more.
func TestBothErrorsHaveAColour(t *testing.T) {
	row := func(label string, admitted, excess, shortfall int64) result.Row {
		return result.Row{Algorithm: label, Figures: measure.Figures{Result: measure.Result{AdmittedCost: admitted,
			ExcessCost: excess, ExactCost: 100, ShortfallCost: shortfall, Overshoot: float64(admitted) / 100}}}
	}
	run := result.Run{Limit: result.Limit{Requests: 100, WindowUS: 1e6},
		Results: []result.Row{row("twice", 200, 100, 0), row("half", 50, 0, 50), row("right", 100, 0, 0)}}
	matrix := report.Table{Matrix: true, Columns: report.Numbers("scenario", "a", "b", "c"),
		Rows: []report.TableRow{{Cells: report.Cells("s")}}}
	for i := range run.Results {
		matrix.Rows[0].Cells = append(matrix.Rows[0].Cells, overviewCell(&run, &run.Results[i]))
	}
	html := string(report.Sheet{{Tables: []report.Table{matrix}}}.HTML())
	for _, want := range []string{`class="shade4">2.00<`, `class="lack4">-50.0%<`, ">ok<"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
}
