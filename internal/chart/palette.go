package chart

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg"

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
	Dashes []vg.Length // of dashes and gaps, in turn; nil for a solid line
}

// dashes tell rows of one colour apart: an algorithm as it is has a solid line, one with other parameters has dashes.
var dashes = [][]vg.Length{{5, 2.5}, {1.6, 2}, {7, 2, 1.6, 2}, {10, 4}, {9, 2, 1.6, 2, 1.6, 2}, {14, 3}, {3, 5}}

// inkDashes are those of rows that are drawn in ink, as the limit is, whose dashes none of them may have. They have no
// colour of their own, so these tell one name from another, too.
var inkDashes = [][]vg.Length{nil, {1.6, 2}, {7, 2, 1.6, 2}, {14, 3}, {9, 2, 1.6, 2, 1.6, 2}, {3, 5}, {20, 3, 3, 3}}

// Looks are those of rows that are shown together: the algorithm's colour, and dashes that follow from the label
// alone, so that a row looks the same in every chart and on every page. Only where two rows of one colour would look
// alike does the later take the next dashes that are free; where none are free, it keeps its own.
func Looks(labels []string) map[string]Look {
	used, all := map[color.NRGBA][]bool{}, map[string]Look{}
	for _, label := range labels {
		if _, twice := all[label]; twice {
			continue
		}
		c, list := Color(label), dashes
		switch {
		case c == Ink:
			list = inkDashes
		case !strings.ContainsAny(label, ":+"):
			all[label] = Look{c, nil}
			continue
		}
		if used[c] == nil {
			used[c] = make([]bool, len(list))
		}
		own := int(hashed(label) % uint32(len(list)))
		i := own
		for step := range list {
			if next := (own + step) % len(list); !used[c][next] {
				i = next
				break
			}
		}
		used[c][i] = true
		all[label] = Look{c, list[i]}
	}
	return all
}

// hashed is a number that follows from what a label adds to its algorithm, or from the label where it adds nothing.
func hashed(label string) uint32 {
	h := fnv.New32a()
	if i := strings.IndexAny(label, ":+"); i >= 0 {
		label = label[i:]
	}
	_, _ = h.Write([]byte(label)) // a hash takes everything
	return h.Sum32()
}

// tint is c as a pane of glass: drawn over the paper it lets share of itself through.
func tint(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(255*share + 0.5)
	return c
}
