package chart

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"regexp"
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
				for theme, of := range themes {
					if d := distance(seen(of(palette[a]), m), seen(of(palette[b]), m)); d < 15 {
						t.Errorf("%s, %s: %s and %s are %.1f apart, want 15", theme, eye, a, b, d)
					}
				}
			}
		}
	}
}

// themes are what each theme makes of a colour.
var themes = map[string]func(color.NRGBA) color.NRGBA{Light: func(c color.NRGBA) color.NRGBA { return c }, Dark: OnDark}

// faint are the marks of the light theme with a contrast below 3:1: orange, sky blue, and the grey of the row none.
var faint = []string{"#e69f00", "#56b4e9", "#bebebe"}

// Every text in a picture has a contrast to the paper of 4.5:1, and every mark of 3:1. What lies behind the marks is
// excepted: the grid, the offered traffic, and transparent areas. Source: WCAG 2.2, success criteria 1.4.3 and 1.4.11.
func TestContrastOfThemes(t *testing.T) {
	painted := regexp.MustCompile(`<(text|path)[^>]* (?:fill|stroke)="(#\w{6})"( \w+-opacity)?`)
	palette, rows := declaredColours(), []contender(nil)
	for i := range 20 {
		name := fmt.Sprint("script ", i)
		palette[name] = Color(name)
	}
	for name := range palette {
		rows = append(rows, contender{name, "gcra"})
	}
	figures := slices.Concat(OfRun(play(caseOne(), 512, rows...)), OfRun(withNone()), chartsOf(t, fifteen()))
	for theme, of := range themes {
		behind := []color.NRGBA{of(Paper), of(Grid), of(Offered)}
		seen := map[string]bool{}
		for _, f := range figures {
			for _, m := range painted.FindAllStringSubmatch(string(f.Encode("svg", theme == Dark, 1)), -1) {
				c := parsed(t, m[2])
				if seen[m[1]+m[2]] = true; m[1] == "path" && (m[3] != "" || slices.Contains(behind, c)) {
					continue
				}
				want := map[string]float64{"text": 4.5, "path": 3}[m[1]]
				if got := contrast(c, of(Paper)); got < want && !(theme == Light && slices.Contains(faint, m[2])) {
					t.Errorf("%s: a %s in %s has a contrast of %.2f, want %v", theme, m[1], m[2], got, want)
				}
			}
		}
		for name, c := range palette {
			if c = of(c); !seen[fmt.Sprintf("path#%02x%02x%02x", c.R, c.G, c.B)] {
				t.Errorf("%s: %s is in no picture", theme, name)
			}
		}
	}
}

// contrast is that of WCAG 2.2.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B) + 0.05
	}
	one, other := luminance(a), luminance(b)
	return max(one, other) / min(one, other)
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
