package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each SVG is well formed, small, and independent of the reader's fonts: a generic family at the end, and a
// length for every text.
func TestSVGIsPortable(t *testing.T) {
	for _, in := range situations() {
		for _, f := range figures(in) {
			svg := encode(f, "svg")
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
	svg := string(encode(figures(in)[0], "svg"))
	if strings.Contains(svg, "<script") || !strings.Contains(svg, "&lt;script&gt;") {
		t.Error("a question's markup reached the SVG")
	}
}

// The short path runs through the same points as the long one, to half a tenth of a pixel, however long it is.
func TestShortPathKeepsEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(0, 720)
		n := rapid.IntRange(1, 60).Draw(t, "points")
		want := make([]point, n)
		var long strings.Builder
		for i := range want {
			want[i] = point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
			if i > 0 && rapid.Bool().Draw(t, "level") {
				want[i].y = want[i-1].y
			}
			command := map[bool]string{true: "M", false: "L"}[i == 0]
			fmt.Fprintf(&long, "%s%v,%v", command, want[i].x, want[i].y)
		}
		got := follow(t, shortPath(long.String()))
		for _, q := range want {
			if !near(q, got) {
				t.Fatalf("%v is not on %s", q, shortPath(long.String()))
			}
		}
	})
}

// follow walks a path of M, h, v and l and gives the points it visits.
func follow(t *rapid.T, path string) []point {
	var at point
	var visited []point
	for path != "" {
		command := path[0]
		end := strings.IndexAny(path[1:], "Mhvl") + 1
		if end == 0 {
			end = len(path)
		}
		var numbers []float64
		for field := range strings.SplitSeq(path[1:end], ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatalf("%q in a path: %v", field, err)
			}
			numbers = append(numbers, v)
		}
		switch command {
		case 'M':
			at = point{numbers[0], numbers[1]}
		case 'h':
			at.x += numbers[0]
		case 'v':
			at.y += numbers[0]
		case 'l':
			at = point{at.x + numbers[0], at.y + numbers[1]}
		}
		visited = append(visited, at)
		path = path[end:]
	}
	return visited
}

func near(q point, points []point) bool {
	for _, p := range points {
		if math.Abs(p.x-q.x) <= 0.0501 && math.Abs(p.y-q.y) <= 0.0501 {
			return true
		}
	}
	return false
}
