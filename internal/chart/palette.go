package chart

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"ratelab/algorithms"
)

// The colours of a picture besides those of the algorithms, in the light theme. The paper is opaque, so that a picture
// looks the same on any page.
var (
	Paper     = color.NRGBA{0xfd, 0xfd, 0xfb, 0xff}
	Ink       = color.NRGBA{0x1f, 0x23, 0x28, 0xff}
	Quiet     = color.NRGBA{0x57, 0x5e, 0x66, 0xff} // 6:1 on the paper
	Grid      = color.NRGBA{0xe4, 0xe5, 0xe2, 0xff}
	Offered   = color.NRGBA{0xdf, 0xe0, 0xdc, 0xff}
	Reference = color.NRGBA{0x80, 0x85, 0x8a, 0xff}
)

// others are the colours of rows without an algorithm's colour: users' scripts and sequences of commands. They differ
// from the algorithms' colours and from each other.
var others = []color.NRGBA{{0xdd, 0x11, 0x55, 0xff}, {0x00, 0x00, 0xf8, 0xff}, {0x55, 0x11, 0x00, 0xff},
	{0x40, 0x68, 0xf8, 0xff}}

// declared returns the colour that a label's algorithm declares.
func declared(label string) (c color.NRGBA, ok bool) {
	c.A = 0xff
	n, _ := fmt.Sscanf(algorithms.Of(label).Colour, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return c, n == 3
}

// Color returns the colour of a row in every chart and page. A label with parameters, such as gcra:burst=100, has the
// colour of its algorithm. The reference is grey. Any other name always gets the same one of a few colours.
func Color(label string) color.NRGBA {
	name := algorithms.NameOf(label)
	if c, known := declared(name); known {
		return c
	}
	if strings.Contains(name, "reference") {
		return Reference
	}
	return others[hashed(name)%uint32(len(others))]
}

// dark has the colours of the dark theme that differ from those of the light theme. Each keeps its hue where the
// other colours leave room for it: for every eye, all stay apart.
var dark = map[color.NRGBA]color.NRGBA{
	Paper: {0x16, 0x18, 0x1b, 0xff}, Ink: {0xec, 0xee, 0xf0, 0xff}, Quiet: {0xa3, 0xab, 0xb3, 0xff},
	Grid: {0x33, 0x38, 0x3d, 0xff}, Offered: {0x4a, 0x4f, 0x55, 0xff},
	{0x88, 0x11, 0x66, 0xff}: {0xbb, 0x02, 0x9c, 0xff}, // plum
	{0x11, 0x44, 0x99, 0xff}: {0x75, 0x8d, 0xf0, 0xff}, // deep blue
	{0x22, 0x55, 0x33, 0xff}: {0x2d, 0x71, 0x44, 0xff}, // dark green
	{0x66, 0x55, 0x11, 0xff}: {0xd6, 0xba, 0x80, 0xff}, // olive
	others[1]:                {0x54, 0x54, 0xd4, 0xff},
	others[2]:                {0xff, 0x82, 0x47, 0xff},
	others[3]:                {0x22, 0x50, 0xf7, 0xff},
}

// OnDark returns the colour of the dark theme in place of a colour of the light theme. It keeps the opacity.
func OnDark(c color.NRGBA) color.NRGBA {
	opacity := c.A
	c.A = 0xff
	if d, differs := dark[c]; differs {
		c = d
	}
	c.A = opacity
	return c
}

// darkened is a canvas that draws in the dark theme.
type darkened struct{ vg.Canvas }

func (d darkened) SetColor(c color.Color) {
	if light, ok := c.(color.NRGBA); ok {
		c = OnDark(light)
	}
	d.Canvas.SetColor(c)
}

// Look is how the lines of a row are drawn.
type Look struct {
	Color  color.NRGBA
	Dashes []vg.Length // lengths of dashes and gaps, in turn; nil: a solid line
}

// dashes distinguish rows with the same colour. The first is a solid line.
var dashes = [][]vg.Length{nil, {5, 2.5}, {1.6, 2}, {7, 2, 1.6, 2}, {10, 4}, {9, 2, 1.6, 2, 1.6, 2}, {14, 3}, {3, 5}}

// Looks returns the looks of rows that are shown together. A plain name has a solid line. The part of a label after the
// name determines its dashes, so that a row looks the same in every chart and on every page. If two rows of one colour
// would look alike, the later one takes the next free dashes, or keeps its own if all are in use.
func Looks(labels []string) map[string]Look {
	used, all := map[color.NRGBA][]bool{}, map[string]Look{}
	for _, label := range labels {
		if _, twice := all[label]; twice {
			continue
		}
		c, own, least := Color(label), 0, 1
		name := algorithms.NameOf(label)
		if added := label[len(name):]; added != "" {
			own = 1 + int(hashed(added)%uint32(len(dashes)-1))
		} else if _, known := declared(name); known {
			all[label] = Look{c, nil}
			continue
		} else {
			least = 0
		}
		if used[c] == nil {
			used[c] = make([]bool, len(dashes))
		}
		i := own
		for step := range len(dashes) - least {
			if next := least + (own-least+step)%(len(dashes)-least); !used[c][next] {
				i = next
				break
			}
		}
		used[c][i] = true
		all[label] = Look{c, dashes[i]}
	}
	return all
}

// hashed returns a hash of text.
func hashed(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // writing to a hash never fails
	return h.Sum32()
}

// tint returns c with that opacity.
func tint(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(255*share + 0.5)
	return c
}
