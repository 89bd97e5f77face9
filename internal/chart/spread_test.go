package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/recorder"
	"pgregory.net/rapid"
)

// Spread places keep their order and their distance, stay within the panel where they have room there, and move only
// where they must.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wanted := rapid.SliceOfN(rapid.Float64Range(0, 300), 1, 22).Draw(t, "wanted")
		slices.Sort(wanted)
		got := spread(wanted, 13, 0, 300)
		free := true
		for i := range got {
			if i > 0 && got[i] < got[i-1]+13-1e-9 {
				t.Fatalf("%v and %v are closer than 13", got[i-1], got[i])
			}
			if got[i] < -1e-9 || got[i] > 300+1e-9 {
				t.Fatalf("%v leaves 0 to 300", got[i])
			}
			free = free && (i == 0 || wanted[i] >= wanted[i-1]+13)
		}
		if free && !slices.EqualFunc(got, wanted, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Fatalf("%v were moved to %v, and had room", wanted, got)
		}
	})
}

// Three that want one place share it, their mean stays; at the edge they are pushed inwards.
func TestSpreadByHand(t *testing.T) {
	for _, c := range []struct{ wanted, want []float64 }{
		{[]float64{50, 50, 50}, []float64{37, 50, 63}},
		{[]float64{0, 1}, []float64{0, 13}},
		{[]float64{99, 100}, []float64{87, 100}},
		{[]float64{10, 20, 80}, []float64{8.5, 21.5, 80}},
	} {
		if got := spread(c.wanted, 13, 0, 100); !slices.Equal(got, c.want) {
			t.Errorf("%v became %v, want %v", c.wanted, got, c.want)
		}
	}
}

// However the points lie on each other, each has its label, and no two labels meet.
func TestPlaceAllLeavesNoneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 15).Draw(t, "points")
		var points []LineEnd
		for i := range n {
			x, y := rapid.IntRange(0, 3).Draw(t, "x"), rapid.IntRange(0, 3).Draw(t, "y") // on a heap
			points = append(points, LineEnd{Point{340 + float64(x)*6, 180 + float64(y)*6}, Ink,
				fmt.Sprintf("%s-%d", strings.Repeat("label", 1+i%4), i)})
		}
		page := Page{Title: "?", Height: 400, Draw: func(p *Pen, b Box) {
			a := &Axes{Pen: p, Box: b}
			moved := slices.Clone(points)
			for i := range moved {
				moved[i].At.Y += b.Top
			}
			a.PlaceAll(moved, 4, FigureLetters)
		}}
		if texts := page.Texts(); len(texts) != n+1 {
			t.Fatalf("%d labels for %d points", len(texts)-1, n)
		}
		if faults := page.Faults(); len(faults) > 0 {
			t.Fatalf("%q", faults)
		}
	})
}

// A label beside its point needs no leader; one that had to move has one.
func TestPlaceAllDrawsLeaders(t *testing.T) {
	strokes := func(points ...LineEnd) int {
		canvas := &recorder.Canvas{}
		a := &Axes{Pen: &Pen{canvas: canvas, height: 200}, Box: Box{0, 0, 400, 200}}
		a.PlaceAll(points, 4, FigureLetters)
		n := 0
		for _, action := range canvas.Actions {
			if _, ok := action.(*recorder.Stroke); ok {
				n++
			}
		}
		return n
	}
	at := Point{200, 100}
	if n := strokes(LineEnd{at, Ink, "one"}); n != 0 {
		t.Errorf("%d leaders for a point on its own", n)
	}
	if n := strokes(LineEnd{at, Ink, "one"}, LineEnd{at, Ink, ""}, LineEnd{at, Ink, ""}, LineEnd{at, Ink, ""}); n != 0 {
		t.Errorf("%d leaders for points without a label", n)
	}
	if n := strokes(LineEnd{at, Ink, "one"}, LineEnd{at, Ink, "two"}, LineEnd{at, Ink, "three"}); n != 1 {
		t.Errorf("%d leaders for three points in one place, want that of the third", n)
	}
}
