package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
)

// Whatever a name holds, the SVG stays a document, its texts stay apart, and nothing in it is markup, a control
// character or a turn of the direction of writing.
func TestHostileTextIsDrawnAsText(t *testing.T) {
	const hostile = "a<b>\"'&\x1b[2J\u202etxt\xff\n|x"
	page := Page{Title: hostile, Subtitle: hostile, Footer: hostile, Height: 60, Draw: func(p *Pen, b Box) {
		p.WriteRight(hostile, At(b.Right, b.Top+20), SmallLetters)
		p.WriteUpwards("\x00\u2028", At(b.Left+20, b.Top+30), SmallLetters)
	}}
	svg := page.Encode("svg")
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %q", err, svg)
		}
	}
	if bytes.ContainsAny(svg, "\x1b\x00\u202e\u2028") || bytes.Contains(svg, []byte("<b>")) {
		t.Errorf("hostile text reached %q", svg)
	}
	for _, fault := range page.Faults() {
		t.Error(fault)
	}
}
