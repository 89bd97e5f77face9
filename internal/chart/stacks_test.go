package chart

import (
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// However many columns there are, no more than four stand side by side, rows are about equally full, every column has
// all its strips, and nothing leaves what the page keeps for them.
func TestStacks(t *testing.T) {
	for n, columns := range []int{1: 1, 2: 2, 4: 4, 5: 3, 6: 3, 7: 4, 9: 3, 10: 4, 16: 4} {
		if columns == 0 {
			continue
		}
		drawn := 0
		strip := Strip{Vertical: Counts(10, 50, "requests"), Height: 50}
		s := Stacks{Heads: make([]Panel, n), Horizontal: TimeBetween(1e6, 3e6, 40)}
		pen := &Pen{canvas: &recorder.Canvas{}, height: 5000}
		strip.Draw = func(_ int, a *Axes) {
			drawn++
			if a.Left < Margin || a.Right > PageWidth-Margin+1e-9 || a.Bottom > s.Height() {
				t.Errorf("%d columns of height %v: a panel at %+v", n, s.Height(), a.Box)
			}
		}
		s.Strips = []Strip{strip, strip, strip}
		s.Draw(pen, Box{Margin, 0, PageWidth - Margin, s.Height()})
		if s.columns() != columns || drawn != 3*n {
			t.Errorf("%d heads: %d columns and %d panels, want %d and %d", n, s.columns(), drawn, columns, 3*n)
		}
	}
}
