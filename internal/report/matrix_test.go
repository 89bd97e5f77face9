package report

import (
	"strconv"
	"strings"
	"testing"

	"ratelab/internal/result"
)

// No cell of the tables that compare limiters exceeds the guarantee above it, neither as both are shown nor exactly.
func TestNoCellExceedsTheGuaranteeAboveIt(t *testing.T) {
	doc, err := result.Read("../../results/simulate.json", result.OfSimulate)
	if err != nil {
		t.Fatal(err)
	}
	parts := Matrices(doc, nil)
	if len(parts) != 4 {
		t.Fatalf("%d tables, want 4", len(parts))
	}
	cells := 0
	for _, p := range parts[:2] {
		var bounds []Cell
		for _, row := range p.Tables[1].Rows {
			name := row.Cells[0].Text
			if name == "on any traffic" || name == "may admit" {
				bounds = row.Cells
				continue
			}
			for i, c := range row.Cells[1:] {
				head, bound := p.Tables[1].Columns[1+i].heading(), bounds[1+i].Text
				if !within(t, c.Text, bound) {
					t.Errorf("%s, %s, %s: %s is above %s", p.Title, name, head, c.Text, bound)
				}
				cells++
			}
		}
	}
	exact, _ := split(doc)
	for _, runs := range exact[:2] {
		for _, r := range runs.Runs {
			for _, row := range r.Results {
				if g := row.Guarantee; g != nil && row.XLimit > *g+1e-9 {
					t.Errorf("%s, %s: %v is above %v", r.Scenario, row.Algorithm, row.XLimit, *g)
				}
			}
		}
	}
	if cells < 200 {
		t.Errorf("%d cells were compared", cells)
	}
}

// within reads a cell and its bound as a person does.
func within(t *testing.T, cell, bound string) bool {
	t.Helper()
	number := func(s string) (f float64, below, above bool) {
		s, _, _ = strings.Cut(s, ",")
		digits := strings.TrimLeft(s, "<>")
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			t.Errorf("%q is no figure", s)
		}
		return f, s[0] == '<', s[0] == '>'
	}
	if text, _, _ := strings.Cut(cell, ","); text == "ok" || strings.HasPrefix(text, "-") && text != Absent {
		cell = "1"
	}
	figure, below, above := number(cell)
	most, less, _ := number(bound)
	return figure < most || figure == most && !above && (below || !less) || figure <= 1 && most >= 1
}
