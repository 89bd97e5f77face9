package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// A label that has no free place is left out rather than set on another.
func TestPlaceLeavesOutWhatHasNoRoom(t *testing.T) {
	s := space{inside: vg.Rectangle{Max: vg.Point{X: 60, Y: 14}}}
	l := label{text: "first", style: smallLetters}
	if _, free := s.place(l, l.around(vg.Point{X: 2, Y: 2})); !free {
		t.Error("the first label has no room")
	}
	if q, free := s.place(l, l.around(vg.Point{X: 10, Y: 2})); free {
		t.Errorf("a second label stands at %v, where there is room for one", q)
	}
}

// A label goes to the first place that no line runs through.
func TestPlaceAvoidsLines(t *testing.T) {
	s := space{inside: vg.Rectangle{Max: vg.Point{X: 200, Y: 100}}}
	s.avoid(vg.Point{Y: 50}, vg.Point{X: 200, Y: 50})
	l := label{text: "label", style: smallLetters}
	q, _ := s.place(l, []vg.Point{{X: 20, Y: 47}, {X: 20, Y: 70}, {X: 20, Y: 20}})
	if q.Y != 70 {
		t.Errorf("the label stands at %v, want it above the line at 50", q)
	}
}

// Wrapped lines fit, and hold the same letters in the same order.
func TestWrapFitsAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zA-Z?é]{1,40} ?){0,12}`).Draw(t, "text")
		lines := wrap(text, titleLetters)
		for _, line := range lines {
			if titleLetters.Width(line) > pageWidth-2*margin {
				t.Fatalf("%q is too wide", line)
			}
		}
		got, want := strings.Join(lines, " "), strings.Join(strings.Fields(text), " ")
		if !strings.Contains(got, "…") && got != want {
			t.Fatalf("%q became %q", text, lines)
		}
	})
}

// A label too long for its panel keeps its beginning and its end, where the parameters are.
func TestShortenKeepsBothEnds(t *testing.T) {
	label := "token-bucket-interval:capacity=1000:refill=10:interval=30ms"
	got := shorten(label, 150, headLetters)
	head, tail, cut := strings.Cut(got, "…")
	if !cut || !strings.HasPrefix(label, head) || !strings.HasSuffix(label, tail) || headLetters.Width(got) > 150 {
		t.Errorf("shortened to %q", got)
	}
	if got := shorten("gcra", 150, headLetters); got != "gcra" {
		t.Errorf("what fits became %q", got)
	}
}

// What is left of a line runs nowhere further from what was left out than can be seen, and its ends stay.
func TestSimplifiedStaysOnTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path vg.Path
		for i, y := range rapid.SliceOfN(rapid.Float64Range(0, 100), 2, 80).Draw(t, "heights") {
			if q := (vg.Point{X: vg.Length(i), Y: vg.Length(y)}); i == 0 {
				path.Move(q)
			} else {
				path.Line(q)
			}
		}
		kept := simplified(slices.Clone(path))
		if kept[0].Pos != path[0].Pos || kept[len(kept)-1].Pos != path[len(path)-1].Pos {
			t.Fatalf("the ends moved: %v became %v", path, kept)
		}
		for _, q := range path {
			i := slices.IndexFunc(kept[1:], func(p vg.PathComp) bool { return p.Pos.X >= q.Pos.X }) + 1
			if d := fromLine(q.Pos, kept[i-1].Pos, kept[i].Pos); d > unseen+1e-9 {
				t.Fatalf("%v is %.3f px from %v", q.Pos, d, kept)
			}
		}
	})
	level := vg.Path{}
	level.Move(vg.Point{})
	for _, q := range []vg.Point{{X: 1, Y: 1.01}, {X: 2, Y: 2}, {X: 3, Y: 2}, {X: 4, Y: 2.04}, {X: 5, Y: 2}} {
		level.Line(q)
	}
	if got := simplified(level); len(got) != 3 || got[1].Pos != (vg.Point{X: 2, Y: 2}) {
		t.Errorf("kept %v, want both ends and the corner", got)
	}
}

// The path in the file runs through the same points, to half a tenth of a px, however long it is.
func TestPathKeepsEveryPoint(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newSVG(720)
		var path vg.Path
		for i := range rapid.IntRange(1, 60).Draw(rt, "points") {
			coordinate := rapid.Float64Range(0, 720)
			q := vg.Point{X: vg.Length(coordinate.Draw(rt, "x")), Y: vg.Length(coordinate.Draw(rt, "y"))}
			if i == 0 || rapid.Bool().Draw(rt, "apart") {
				path.Move(q)
			} else {
				path.Line(q)
			}
		}
		got := points(t, s.path(path))
		for _, q := range simplified(path) {
			if !slices.ContainsFunc(got, func(p vg.Point) bool {
				return math.Abs(float64(p.X-q.Pos.X)) <= 0.0501 && math.Abs(float64(p.Y-720+q.Pos.Y)) <= 0.0501
			}) {
				rt.Fatalf("%v is not on %s", q.Pos, s.path(path))
			}
		}
	})
}
