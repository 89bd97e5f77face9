package chart

import (
	"fmt"

	"gonum.org/v1/plot/vg/recorder"
)

// Text is a text as drawn. The SVG needs its width, and a test that no two of them meet.
type Text struct {
	Box
	Text  string
	width float64 // along the base line, before any rotation
}

// Texts are the words on the page with their places, in the order in which they are drawn.
func (p Page) Texts() []Text { return p.trial().texts }

// trial draws on no canvas.
func (p Page) trial() *Pen {
	pen := &Pen{canvas: &recorder.Canvas{}, height: p.frame().height}
	p.draw(pen)
	return pen
}

// Faults tells, one by one, which texts meet another or leave the page, and which shapes leave it: a picture that can
// be shown has none.
func (p Page) Faults() []string {
	var faults []string
	pen := p.trial()
	for _, q := range pen.strays {
		faults = append(faults, fmt.Sprintf("a shape leaves the page at %v", q))
	}
	texts := pen.texts
	page := Box{Margin / 2, Margin / 2, PageWidth - Margin/2, p.frame().height}
	for i, a := range texts {
		if a.Left < page.Left || a.Right > page.Right || a.Top < page.Top || a.Bottom > page.Bottom {
			faults = append(faults, fmt.Sprintf("%q leaves the page: %+v", a.Text, a.Box))
		}
		for _, b := range texts[:i] {
			if a.overlaps(b.Box) {
				faults = append(faults, fmt.Sprintf("%q stands on %q", a.Text, b.Text))
			}
		}
	}
	return faults
}
