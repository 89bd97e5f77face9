package chart

import (
	"image/color"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"ratelab/internal/message"
)

// The page's text styles, in Liberation Sans, which gonum/plot includes: the outlines are the same on every machine. No
// size is below 10 px, so that all text is legible when the page, 720 px wide, is shown at 700 px.
var (
	titleLetters  = letters(15.5, xfont.WeightBold, Ink)
	headLetters   = letters(11.5, xfont.WeightBold, Ink)
	tightLetters  = letters(10, xfont.WeightBold, Ink)
	figureLetters = letters(11, xfont.WeightBold, Ink)
	plainLetters  = letters(11.5, xfont.WeightNormal, Quiet)
	smallLetters  = letters(10.5, xfont.WeightNormal, Quiet)
	footLetters   = letters(10, xfont.WeightNormal, Quiet)
)

func letters(size vg.Length, weight xfont.Weight, c color.NRGBA) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: visible{text.Plain{Fonts: font.DefaultCache}}}
}

// visible draws texts as a terminal shows them: on one line, and without control characters.
type visible struct{ text.Plain }

func (v visible) Lines(s string) []string { return []string{s} }

func (v visible) Box(s string, f font.Font) (width, height, depth vg.Length) {
	return v.Plain.Box(message.Visible(s), f)
}

func (v visible) Draw(c vg.Canvas, s string, style text.Style, at vg.Point) {
	v.Plain.Draw(c, message.Visible(s), style, at)
}

// ascent and descent are the parts of the size above and below the base line that Liberation Sans's capitals,
// digits and tails fill.
const ascent, descent = 0.74, 0.22

// set writes s with its base line's left end at a point.
func set(c draw.Canvas, style text.Style, at vg.Point, s string) {
	at.Y -= style.Font.Size - style.FontExtents().Ascent // FillText takes the lower edge of a line
	c.FillText(style, at, s)
}

// paragraph returns s as lines that fit the page, with that line height, and with that space below.
func paragraph(s string, style text.Style, pitch, below vg.Length) block {
	lines := wrap(s, style)
	return block{pitch*vg.Length(len(lines)) + below, func(c draw.Canvas) {
		for i, line := range lines {
			set(c, style, vg.Point{X: c.Min.X, Y: c.Max.Y - pitch*(vg.Length(i)+2./3)}, line)
		}
	}}
}

// wrap breaks s between words into lines that fit the page. It cuts a word that is wider than the page.
func wrap(s string, style text.Style) []string {
	const width = pageWidth - 2*margin
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		word = shorten(word, width, style)
		longer := strings.TrimSpace(line + " " + word)
		if style.Width(longer) > width {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

// shorten removes characters from the middle of s, where labels with parameters differ least, until s fits width.
func shorten(s string, width vg.Length, style text.Style) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for keep := len(runes) - 1; keep > 1; keep-- {
		head := (keep + 1) / 2
		cut := string(runes[:head]) + "…" + string(runes[len(runes)-(keep-head):])
		if style.Width(cut) <= width {
			return cut
		}
	}
	return "…"
}
