package chart

import (
	"testing"

	"gonum.org/v1/plot/vg/recorder"
)

// A label that has no free place is left out rather than set on another.
func TestPlaceLeavesOutWhatHasNoRoom(t *testing.T) {
	a := &Axes{Pen: &Pen{canvas: &recorder.Canvas{}, height: 100}, Box: Box{0, 0, 60, 14}}
	a.Place("first", SmallLetters, []Point{{2, 12}})
	a.Place("second", SmallLetters, []Point{{2, 12}, {10, 12}})
	if len(a.Pen.texts) != 1 {
		t.Errorf("%d labels were written where there is room for one", len(a.Pen.texts))
	}
}

// A label goes to the first place that no curve runs through.
func TestPlaceAvoidsCurves(t *testing.T) {
	a := &Axes{Pen: &Pen{canvas: &recorder.Canvas{}, height: 200}, Box: Box{0, 0, 200, 100}}
	a.Avoid([]Point{{0, 50}, {200, 50}})
	a.Place("label", SmallLetters, []Point{{20, 53}, {20, 30}, {20, 80}})
	if got := a.Pen.texts[0].Bottom; got > 50 {
		t.Errorf("the label ends at %.1f, want it above the curve at 50", got)
	}
}
