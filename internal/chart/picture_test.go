package chart

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var (
	preview = flag.String("preview", "", "a folder to draw every test picture into, to be looked at")
	update  = flag.Bool("update", false, "write the golden pictures anew; look at them before they are committed")
)

// picture is what stands in an SVG, as a reader's program sees it.
type picture struct {
	Width  vg.Length `xml:"width,attr"`
	Height vg.Length `xml:"height,attr"`
	Family string    `xml:"font-family,attr"`
	Title  string    `xml:"title"`
	Texts  []struct {
		X         vg.Length `xml:"x,attr"`
		Y         vg.Length `xml:"y,attr"`
		Size      vg.Length `xml:"font-size,attr"`
		Length    vg.Length `xml:"textLength,attr"`
		Transform string    `xml:"transform,attr"`
		Text      string    `xml:",chardata"`
	} `xml:"text"`
	Paths []struct {
		D string `xml:"d,attr"`
	} `xml:"path"`
	svg []byte
}

func drawnTo(t *testing.T, f *Figure) (p picture) {
	t.Helper()
	p.svg = f.Encode("svg", false, 1)
	if err := xml.Unmarshal(p.svg, &p); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return p
}

// words are the texts, a line each.
func words(t *testing.T, f *Figure) string {
	t.Helper()
	var all []string
	for _, text := range drawnTo(t, f).Texts {
		all = append(all, text.Text)
	}
	return strings.Join(all, "\n")
}

// checkPicture wants no text on another or beyond the page, no line beyond the page, a length for every text, generic
// fonts, and a size that a page can carry.
func checkPicture(t *testing.T, f *Figure) {
	t.Helper()
	p := drawnTo(t, f)
	page := vg.Rectangle{Min: vg.Point{X: margin / 2, Y: margin / 2}, Max: vg.Point{X: p.Width - margin/2, Y: p.Height}}
	within := func(b vg.Rectangle) bool {
		return b.Min.X >= page.Min.X && b.Max.X <= page.Max.X && b.Min.Y >= page.Min.Y && b.Max.Y <= page.Max.Y
	}
	var boxes []vg.Rectangle
	for _, text := range p.Texts {
		b := vg.Rectangle{Min: vg.Point{X: text.X, Y: text.Y - ascent*text.Size},
			Max: vg.Point{X: text.X + text.Length, Y: text.Y + descent*text.Size}}
		if text.Transform != "" { // upwards
			b = vg.Rectangle{Min: vg.Point{X: text.X - ascent*text.Size, Y: text.Y - text.Length},
				Max: vg.Point{X: text.X + descent*text.Size, Y: text.Y}}
		}
		if text.Length == 0 || text.Size < 10 || !within(b) {
			t.Errorf("%s: %q of size %v at %v leaves the page or has no size", f.Name, text.Text, text.Size, b)
		}
		for k, o := range boxes {
			if b.Min.X < o.Max.X && o.Min.X < b.Max.X && b.Min.Y < o.Max.Y && o.Min.Y < b.Max.Y {
				t.Errorf("%s: %q stands on %q", f.Name, text.Text, p.Texts[k].Text)
			}
		}
		boxes = append(boxes, b)
	}
	for _, path := range p.Paths {
		for _, q := range points(t, path.D) {
			if q.X < 0 || q.X > p.Width || q.Y < 0 || q.Y > p.Height {
				t.Fatalf("%s: a line leaves the page at %v", f.Name, q)
			}
		}
	}
	if !strings.HasSuffix(p.Family, "sans-serif") {
		t.Errorf("%s asks for fonts that a reader may not have: %s", f.Name, p.Family)
	}
	if n := len(p.svg); n > 150_000 {
		t.Errorf("%s takes %d bytes, want 150,000 at most", f.Name, n)
	}
}

// points walks a path of M, h, v, l and circles.
func points(t *testing.T, path string) (all []vg.Point) {
	t.Helper()
	var at vg.Point
	for path != "" {
		command, end := path[0], strings.IndexAny(path[1:], "MhvlaZ")+1
		if end == 0 {
			end = len(path)
		}
		var x, y vg.Length
		numbers := strings.Replace(path[1:end], ",", " ", 1)
		path = path[end:]
		switch command {
		case 'M', 'l':
			if _, err := fmt.Sscan(numbers, &x, &y); err != nil {
				t.Fatal(err)
			}
		case 'h':
			_, _ = fmt.Sscan(numbers, &x)
		case 'v':
			_, _ = fmt.Sscan(numbers, &y)
		}
		if command == 'M' {
			at = vg.Point{}
		}
		at = at.Add(vg.Point{X: x, Y: y})
		all = append(all, at)
	}
	return all
}

// checkGolden compares with the picture that was looked at.
func checkGolden(t *testing.T, f *Figure) {
	t.Helper()
	name := filepath.Join("testdata", f.Name+".svg")
	if *update {
		if err := os.WriteFile(name, f.Encode("svg", false, 1), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(want, f.Encode("svg", false, 1)) {
		t.Errorf("%s is not the picture in testdata (%v); look at it, then accept it with -update", f.Name, err)
	}
}

// show draws the figures to be looked at: go test -run Pictures -preview /tmp/charts.
func show(t *testing.T, folder string, figures []*Figure) {
	t.Helper()
	if *preview == "" {
		return
	}
	dir := filepath.Join(*preview, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, figures, Style{Formats: []string{"png"}, Scale: 2}); err != nil {
		t.Fatal(err)
	}
}

// Whatever a name holds, the SVG stays a document, and nothing in it is markup, a control character or a turn of the
// direction of writing.
func TestHostileTextIsDrawnAsText(t *testing.T) {
	const hostile = "a<b>\"'&\x1b[2J\u202etxt\xff\n|x"
	in := one()
	in.Run.Question, in.Run.Scenario, in.Algorithms[0].Label = hostile, hostile, hostile
	f := OfRun(in)[1]
	checkPicture(t, f)
	svg := f.Encode("svg", false, 1)
	if bytes.ContainsAny(svg, "\x1b\x00\u202e\u2028") || bytes.Contains(svg, []byte("<b>")) {
		t.Errorf("hostile text reached %q", svg)
	}
}
