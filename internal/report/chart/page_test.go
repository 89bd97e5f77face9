package chart

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// drawn gives the texts of a figure with their places, without encoding it.
func drawn(f *figure) []textBox {
	p := &pen{canvas: &recorder.Canvas{}, height: f.height()}
	f.draw(p)
	return p.texts
}

// No text meets another or leaves the page, in any situation.
func TestTextsKeepApart(t *testing.T) {
	for _, in := range situations() {
		for _, f := range figures(in) {
			texts := drawn(f)
			page := box{margin / 2, margin / 2, pageWidth - margin/2, f.height()}
			for i, a := range texts {
				if a.left < page.left || a.right > page.right || a.top < page.top || a.bottom > page.bottom {
					t.Errorf("%s.%s: %q leaves the page: %+v", in.Run.Scenario, f.name, a.text, a.box)
				}
				for _, b := range texts[:i] {
					if a.overlaps(b.box) {
						t.Errorf("%s.%s: %q stands on %q", in.Run.Scenario, f.name, a.text, b.text)
					}
				}
			}
		}
	}
}

// The figures that the worked cases are known for can be read off the picture of the rolling window.
func TestWindowFigureShowsTheWorkedPeaks(t *testing.T) {
	f := figures(play(caseOne(), 512, twelve(1000)...))[1]
	texts := words(f)
	for _, want := range []string{"limit 1,000", "1,980", "1.98 × the limit", "1,412", "1,765", "865", "within the limit"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
	if slices.Contains(texts, "1.00 × the limit") {
		t.Error("a peak at the limit is shown as an overshoot")
	}
}

// A panel's head stands below the data of the panel above it, and within the page.
func TestHeadsKeepOffTheData(t *testing.T) {
	for n := 1; n <= 14; n++ {
		f := &figure{panels: make([]panel, n), top: 1, spanUS: 1}
		g := f.layout()
		for i := range n {
			if b := g.panelBox(i); b.right > pageWidth-margin+1 || b.bottom > g.page {
				t.Errorf("panel %d of %d leaves the page: %+v", i, n, b)
			}
			if i >= g.columns && g.panelBox(i).top-headHeight < g.panelBox(i-g.columns).bottom {
				t.Errorf("the head of panel %d of %d stands in the data above", i, n)
			}
		}
	}
	in := one()
	for _, f := range figures(in) {
		g := f.layout()
		for _, b := range drawn(f) {
			if (b.text == "gcra") && b.top < g.panelBox(0).top-headHeight {
				t.Errorf("%s: the label %q is higher than the %v px kept for it", f.name, b.text, headHeight)
			}
		}
	}
}

// Title, limit, unit, origin and version are on each page; only the row none has no panel.
func TestPagesSayWhatTheyShow(t *testing.T) {
	in := play(caseOne(), 512, twelve(1000)...)
	for _, f := range figures(in) {
		all := strings.Join(words(f), "\n")
		for _, want := range []string{in.Run.Question, "Limit 1,000 per 3 s.", "extreme-case-1", "seed 1", "miniredis 2.40.0 (embedded, pipe)",
			"ratelab v1.0.0", "sliding-window-counter", "gcra:burst=100", f.unit, "6 s"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q", f.name, want)
			}
		}
		if strings.Contains(all, "\nnone\n") || len(f.panels) != 12 {
			t.Errorf("%s: none has a panel, or another has not (%d panels)", f.name, len(f.panels))
		}
	}
}

func TestPartialRunsSaySo(t *testing.T) {
	for _, f := range figures(withNone()) {
		if !strings.Contains(strings.Join(words(f), " "), "PARTIAL") {
			t.Errorf("%s does not say that its run was interrupted", f.name)
		}
	}
}

// Costs make the axis count permits.
func TestUnitFollowsTheCosts(t *testing.T) {
	in := one()
	in.Run.Reference.Offered, in.Run.Reference.OfferedCost = 100, 300
	for _, f := range figures(in) {
		if !strings.HasPrefix(f.unit, "permits") {
			t.Errorf("%s: unit %q, want permits", f.name, f.unit)
		}
	}
}

func words(f *figure) []string {
	var out []string
	for _, b := range drawn(f) {
		out = append(out, b.text)
	}
	return out
}

// A label that has no free place is left out rather than set on another.
func TestPlaceLeavesOutWhatHasNoRoom(t *testing.T) {
	a := &axes{pen: &pen{canvas: &recorder.Canvas{}, height: 100}, box: box{0, 0, 60, 14}, spanUS: 1, scale: 1}
	a.place("first", smallLetters, []point{{2, 12}})
	a.place("second", smallLetters, []point{{2, 12}, {10, 12}})
	if len(a.pen.texts) != 1 {
		t.Errorf("%d labels were written where there is room for one", len(a.pen.texts))
	}
}

// A label goes to the first place that no curve runs through.
func TestPlaceAvoidsCurves(t *testing.T) {
	a := &axes{pen: &pen{canvas: &recorder.Canvas{}, height: 200}, box: box{0, 0, 200, 100}, spanUS: 1, scale: 1}
	a.avoid([]point{{0, 50}, {200, 50}})
	a.place("label", smallLetters, []point{{20, 53}, {20, 30}, {20, 80}})
	if got := a.pen.texts[0].bottom; got > 50 {
		t.Errorf("the label ends at %.1f, want it above the curve at 50", got)
	}
}
