package chart

import "testing"

// A panel's head stands below the data of the panel above it, and within the page.
func TestHeadsKeepOffTheData(t *testing.T) {
	for n := 1; n <= 16; n++ {
		m := Multiples{Panels: make([]Panel, n), Horizontal: Time(0, 1), Vertical: Counts(1, 104, "")}
		for i := range n {
			m.Panels[i] = Panel{Label: "gcra", Draw: func(*Axes) {}}
		}
		g, height := m.grid(0), m.Height()
		for i := range n {
			if b := g.box(i); b.Right > PageWidth-Margin+1 || b.Bottom > height {
				t.Errorf("panel %d of %d leaves the page: %+v", i, n, b)
			}
			if i >= g.columns && g.box(i).Top-headHeight < g.box(i-g.columns).Bottom {
				t.Errorf("the head of panel %d of %d stands in the data above", i, n)
			}
		}
		page := Page{Title: "?", Height: height, Draw: m.Draw}
		for _, b := range page.Texts() {
			if b.Text == "gcra" && b.Top < page.frame().content.Top {
				t.Errorf("the label %q is higher than the %v px kept for it", b.Text, headHeight)
			}
		}
		for _, fault := range page.Faults() {
			t.Errorf("%d panels: %s", n, fault)
		}
	}
}
