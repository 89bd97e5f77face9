package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The short path runs through the same points as the long one, to half a tenth of a pixel, however long it is.
func TestShortPathKeepsEveryPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(0, 720)
		n := rapid.IntRange(1, 60).Draw(t, "points")
		want := make([]Point, n)
		var long strings.Builder
		for i := range want {
			want[i] = Point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
			if i > 0 && rapid.Bool().Draw(t, "level") {
				want[i].Y = want[i-1].Y
			}
			command := map[bool]string{true: "M", false: "L"}[i == 0]
			fmt.Fprintf(&long, "%s%v,%v", command, want[i].X, want[i].Y)
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
func follow(t *rapid.T, path string) []Point {
	var at Point
	var visited []Point
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
			at = Point{numbers[0], numbers[1]}
		case 'h':
			at.X += numbers[0]
		case 'v':
			at.Y += numbers[0]
		case 'l':
			at = Point{at.X + numbers[0], at.Y + numbers[1]}
		}
		visited = append(visited, at)
		path = path[end:]
	}
	return visited
}

func near(q Point, points []Point) bool {
	for _, p := range points {
		if math.Abs(p.X-q.X) <= 0.0501 && math.Abs(p.Y-q.Y) <= 0.0501 {
			return true
		}
	}
	return false
}
