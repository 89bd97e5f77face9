package drawing

import (
	"image/color"
	"strings"
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
	Floor     = color.NRGBA{0xbe, 0xbe, 0xbe, 0xff}
)

// palette gives each algorithm its colour. Related algorithms have related hues: fixed windows are warm, sliding
// windows blue, token buckets green, those that keep one moment in time purple. The first six are those of
// Okabe and Ito ("Color Universal Design", 2008); the others are shades that stay apart from all of these, and
// from each other, for an eye that lacks red or green as well: a test holds the distance.
//
// Note: their yellow is not here. As a thin line on light paper it cannot be seen, and darkened until it can, it
// is their orange to an eye that lacks green.
var palette = map[string]color.NRGBA{
	"fixed-window":           {0xd5, 0x5e, 0x00, 0xff}, // vermilion
	"fixed-window-aligned":   {0xe6, 0x9f, 0x00, 0xff}, // orange
	"sliding-window-log":     {0x00, 0x72, 0xb2, 0xff}, // blue
	"sliding-window-counter": {0x56, 0xb4, 0xe9, 0xff}, // sky blue
	"token-bucket":           {0x00, 0x9e, 0x73, 0xff}, // bluish green
	"gcra":                   {0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	"token-bucket-interval":  {0x66, 0x55, 0x11, 0xff}, // olive
	"sliding-window-buckets": {0x11, 0x44, 0x99, 0xff}, // deep blue
	"token-bucket-debt":      {0x22, 0x55, 0x33, 0xff}, // dark green
	"leaky-bucket":           {0x88, 0x11, 0x66, 0xff}, // plum
	"none":                   Floor,
}

// Color is the colour of an algorithm in every chart and page. A label with parameters, such as
// gcra:burst=100, has the colour of its algorithm; the reference is grey, and what is not built in, such as a
// user's script, is drawn in ink.
func Color(label string) color.NRGBA {
	name, _, _ := strings.Cut(label, ":")
	if c, known := palette[name]; known {
		return c
	}
	if strings.Contains(name, "reference") {
		return Reference
	}
	return Ink
}

// Tint is c as a pane of glass: drawn over the paper it lets share of itself through.
func Tint(c color.NRGBA, share float64) color.NRGBA {
	c.A = uint8(255*share + 0.5)
	return c
}
