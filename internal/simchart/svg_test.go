package simchart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// Each SVG is well formed, small, and independent of the reader's fonts: a generic family at the end, and a
// length for every text.
func TestSVGIsPortable(t *testing.T) {
	for _, in := range situations() {
		for _, f := range figuresOf(in) {
			svg := f.picture().Encode("svg")
			name := in.Run.Scenario + "." + f.name
			if len(svg) > 150_000 {
				t.Errorf("%s takes %d bytes, want 150,000 at most", name, len(svg))
			}
			texts, fixed := countTexts(t, name, svg)
			if texts != len(drawn(f)) || fixed != texts {
				t.Errorf("%s: %d texts, %d of them of fixed length, want %d", name, texts, fixed, len(drawn(f)))
			}
			if !bytes.Contains(svg, []byte(`sans-serif"`)) || bytes.Contains(svg, []byte("font-family:")) {
				t.Errorf("%s asks for fonts that a reader may not have", name)
			}
		}
	}
}

func countTexts(t *testing.T, name string, svg []byte) (texts, fixed int) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts, fixed
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			texts++
			for _, attribute := range start.Attr {
				if attribute.Name.Local == "textLength" {
					fixed++
				}
			}
		}
	}
}

// Markup in a question stays text.
func TestSVGEscapes(t *testing.T) {
	in := one()
	in.Run.Question = `Is <script>alert("1 & 2")</script> text?`
	svg := string(figuresOf(in)[0].picture().Encode("svg"))
	if strings.Contains(svg, "<script") || !strings.Contains(svg, "&lt;script&gt;") {
		t.Error("a question's markup reached the SVG")
	}
}
