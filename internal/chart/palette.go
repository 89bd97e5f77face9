package chart

import (
	"fmt"
	"image/color"
	"strings"
	"sync"

	"ratelab/algorithms"
)

// The inks of a picture besides those of the algorithms. The paper is opaque and light, so that a picture
// reads the same on a dark page.
var (
	Paper     = color.NRGBA{0xfd, 0xfd, 0xfb, 0xff}
	Ink       = color.NRGBA{0x1f, 0x23, 0x28, 0xff}
	Quiet     = color.NRGBA{0x57, 0x5e, 0x66, 0xff} // 6:1 on the paper
	Grid      = color.NRGBA{0xe4, 0xe5, 0xe2, 0xff}
	Offered   = color.NRGBA{0xdf, 0xe0, 0xdc, 0xff}
	Reference = color.NRGBA{0x80, 0x85, 0x8a, 0xff}
)

// spares are the colours of algorithms that declare none, in the order of their names: apart from the declared ones,
// from each other and from ink. Who has none of them either is drawn in ink.
var spares = []string{"#0000f8", "#4068f8", "#0000a8"}

// palette is each algorithm's colour: what it declares, or the next spare one.
var palette = sync.OnceValue(func() map[string]color.NRGBA {
	colours, left := map[string]color.NRGBA{}, spares
	for _, spec := range algorithms.All() {
		declared := spec.Colour
		if declared == "" && len(left) > 0 {
			declared, left = left[0], left[1:]
		}
		c := Ink
		fmt.Sscanf(declared, "#%02x%02x%02x", &c.R, &c.G, &c.B) // nothing declared and none to spare leaves it so
		colours[spec.Name] = c
	}
	return colours
})

// Color is the colour of an algorithm in every chart and page. A label with parameters, such as
// gcra:burst=100, has the colour of its algorithm; the reference is grey, and what is not built in, such as a
// user's script, is drawn in ink.
func Color(label string) color.NRGBA {
	name, _, _ := strings.Cut(label, ":")
	name, _, _ = strings.Cut(name, "+") // what a row adds to its algorithm, such as +local-flag
	if c, known := palette()[name]; known {
		return c
	}
	if strings.Contains(name, "reference") {
		return Reference
	}
	return Ink
}

// Look is how the lines of a row are drawn.
type Look struct {
	Color  color.NRGBA
	Dashes []float64 // of dashes and gaps, in turn; nil for a solid line
}

// dashes tell rows of one colour apart, in their order. The first is solid.
var dashes = [][]float64{nil, {5, 2.5}, {1.6, 2}, {7, 2, 1.6, 2}, {9, 4}}

// Looks are those of rows in every chart and page that shows them together: the algorithm's colour, and dashes for the
// second and later rows of one colour, such as other values of a parameter.
func Looks(labels []string) map[string]Look {
	used, all := map[color.NRGBA]int{}, map[string]Look{}
	for _, label := range labels {
		if _, twice := all[label]; twice {
			continue
		}
		c := Color(label)
		all[label] = Look{c, dashes[used[c]%len(dashes)]}
		used[c]++
	}
	return all
}

// Tint is c as a pane of glass: drawn over the paper it lets share of itself through.
func Tint(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(255*share + 0.5)
	return c
}
