package chart

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What is left of a line runs nowhere further from what was left out than can be seen.
func TestSimplifyStaysOnTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heights := rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 80).Draw(t, "heights")
		line := make([]Point, len(heights))
		for i, y := range heights {
			line[i] = Point{float64(i), y}
		}
		kept := Simplify(slices.Clone(line))
		if kept[0] != line[0] || kept[len(kept)-1] != line[len(line)-1] {
			t.Fatalf("the ends moved: %v became %v", line, kept)
		}
		for _, q := range line {
			if d := fromPath(q, kept); d > unseen+1e-9 {
				t.Fatalf("%v is %.3f px from %v", q, d, kept)
			}
		}
	})
}

// fromPath is the distance of q from the segment of the path that spans q.X.
func fromPath(q Point, path []Point) float64 {
	least := math.Inf(1)
	for i := range path {
		from := path[max(i-1, 0)]
		if from.X <= q.X && q.X <= path[i].X {
			least = min(least, fromLine(q, from, path[i]))
		}
	}
	return least
}

func TestSimplifyKeepsOnlyTheCorners(t *testing.T) {
	line := []Point{{0, 0}, {1, 1.01}, {2, 2}, {3, 2}, {4, 2.04}, {5, 2}} // none of the others can be seen
	if got := Simplify(line); !slices.Equal(got, []Point{{0, 0}, {2, 2}, {5, 2}}) {
		t.Errorf("kept %v, want both ends and the corner", got)
	}
}
