package chart

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ratelab/algorithms"
)

// matrix turns linear RGB into what an eye of that kind sees of it.
type matrix [3][3]float64

// eyes are full dichromats, the worst case of each kind.
// Source: Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
// deficiency", 2009, severity 1.0.
var eyes = map[string]matrix{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// declaredColours are those of the algorithms that declare one.
func declaredColours() map[string]color.NRGBA {
	all := map[string]color.NRGBA{}
	for _, name := range algorithms.Names() {
		if c, ok := declared(name); ok {
			all[name] = c
		}
	}
	return all
}

// Two colours stay apart for every eye: 2.3 in CIE 1976 is the least that is noticed side by side, and this asks for
// several times that.
func TestPaletteStaysApart(t *testing.T) {
	palette := declaredColours()
	palette["ink"] = Ink
	for i, c := range others {
		palette[fmt.Sprint("other ", i)] = c
	}
	names := slices.Sorted(maps.Keys(palette))
	for eye, m := range eyes {
		for i, a := range names {
			for _, b := range names[:i] {
				if d := distance(seen(palette[a], m), seen(palette[b], m)); d < 15 {
					t.Errorf("%s: %s and %s are %.1f apart, want 15", eye, a, b, d)
				}
			}
		}
	}
}

// No two algorithms share a colour by a slip, and each is visible on the paper.
func TestPaletteIsVisible(t *testing.T) {
	all := declaredColours()
	for i, c := range others {
		all[fmt.Sprint("other ", i)] = c
	}
	for name, c := range all {
		if d := distance(seen(c, eyes["normal"]), seen(Paper, eyes["normal"])); d < 20 {
			t.Errorf("%s is %.1f from the paper, want 20", name, d)
		}
	}
}

// What an algorithm declares is what is drawn.
func TestColoursAreDeclared(t *testing.T) {
	for _, spec := range algorithms.All() {
		if spec.Colour != "" && Color(spec.Name) != parsed(t, spec.Colour) {
			t.Errorf("%s declares %q and is drawn in %v", spec.Name, spec.Colour, Color(spec.Name))
		}
	}
}

func parsed(t *testing.T, text string) color.NRGBA {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 0xff}
}

func TestColorOfLabel(t *testing.T) {
	cases := []struct{ label, as, why string }{
		{"gcra:burst=100", "gcra", "a parameter changes no colour"},
		{"token-bucket:rate=5", "token-bucket", "and is not mistaken for another algorithm of the same beginning"},
	}
	for _, c := range cases {
		if Color(c.label) != Color(c.as) {
			t.Errorf("%s is not drawn as %s: %s", c.label, c.as, c.why)
		}
	}
	if c := Color("my-script"); !slices.Contains(others, c) || c != Color("my-script:limit=5") {
		t.Errorf("a user's script is drawn in %v", c)
	}
	if Color("exact reference") != Reference {
		t.Error("the reference is not grey")
	}
}

// seen gives the CIE Lab coordinates of c through an eye.
func seen(c color.NRGBA, m matrix) [3]float64 {
	rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var out [3]float64
	for i := range out {
		for j := range rgb {
			out[i] += m[i][j] * rgb[j]
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return lab(out)
}

func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func lab(rgb [3]float64) [3]float64 {
	x := (0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]) / 0.95047
	y := 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
	z := (0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]) / 1.08883
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

func ExampleColor() {
	fmt.Println(Color("gcra:burst=100"))
	// Output: {204 121 167 255}
}

// Rows of one algorithm share its colour, whatever their labels add, and differ in their dashes; a row that a document
// names twice looks the same.
func TestLooks(t *testing.T) {
	labels := []string{"gcra", "none", "gcra:burst=7", "gcra", "gcra+local-flag", "mine"}
	looks := Looks(labels)
	for _, label := range []string{"gcra:burst=7", "gcra+local-flag"} {
		if looks[label].Color != looks["gcra"].Color || looks[label].Dashes == nil {
			t.Errorf("%s: %v beside %v", label, looks[label], looks["gcra"])
		}
	}
	if slices.Equal(looks["gcra:burst=7"].Dashes, looks["gcra+local-flag"].Dashes) {
		t.Error("two rows of one colour have the same dashes")
	}
	for _, label := range []string{"gcra", "none"} {
		if looks[label].Dashes != nil {
			t.Errorf("%s is an algorithm as it is and has dashes", label)
		}
	}
}

// A row looks the same whoever is shown beside it, and no two of one colour look alike as long as there are dashes
// left.
func TestLooksDoNotDependOnTheOthers(t *testing.T) {
	alone := Looks([]string{"fixed-window+local-flag"})
	beside := Looks([]string{"none", "fixed-window", "gcra:burst=7", "gcra+local-flag", "fixed-window+local-flag",
		"mine"})
	if a, b := alone["fixed-window+local-flag"], beside["fixed-window+local-flag"]; !slices.Equal(a.Dashes, b.Dashes) {
		t.Errorf("%v alone and %v beside others", a, b)
	}
	for _, name := range []string{"gcra:burst=", "mine-"} {
		var labels []string
		for i := range len(dashes) - 1 {
			labels = append(labels, fmt.Sprint(name, i))
		}
		seen := map[string]string{}
		for label, look := range Looks(labels) {
			as := fmt.Sprint(look)
			if other, twice := seen[as]; twice {
				t.Errorf("%s looks as %s", label, other)
			}
			seen[as] = label
		}
	}
}
