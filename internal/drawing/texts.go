package drawing

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
func (p Page) Texts() []Text {
	pen := &Pen{canvas: &recorder.Canvas{}, height: p.frame().height}
	p.draw(pen)
	return pen.texts
}

// Faults tells, one by one, which texts meet another or leave the page: a picture without faults has none.
func (p Page) Faults() []string {
	var faults []string
	texts := p.Texts()
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
