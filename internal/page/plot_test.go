package page

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// What the script reads from a path is what was drawn into it.
func TestStepsKeepEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 5), 1, 60).Draw(t, "values")
		path := steps(values)
		got := placed(t, path)
		if len(got) != len(values) {
			t.Fatalf("%s has %d places for %d values", path, len(got), len(values))
		}
		for i := range got {
			if got[i] != values[i] {
				t.Fatalf("%s: place %d is %d, want %d", path, i, got[i], values[i])
			}
		}
	})
}

// placed reads a staircase as the script does: the value of each place.
func placed(t interface{ Fatal(...any) }, path string) []int64 {
	start := regexp.MustCompile(`^M0 (\d+)`).FindStringSubmatch(path)
	if start == nil {
		t.Fatal("no staircase: " + path)
	}
	y, _ := strconv.ParseInt(start[1], 10, 64)
	var values []int64
	for _, move := range regexp.MustCompile(`([hv])(-?\d+)`).FindAllStringSubmatch(path, -1) {
		n, _ := strconv.ParseInt(move[2], 10, 64)
		if move[1] == "v" {
			y += n
			continue
		}
		for range n {
			values = append(values, y)
		}
	}
	return values
}

// Of more curves than can be told apart the first in order are drawn, whatever else has the same curve, and none that
// is off anyway; the scale is theirs.
func TestRest(t *testing.T) {
	var g group
	for i := range 12 {
		g.add(label{Index: i, Off: i == 0}, curve{Path: strconv.Itoa(i), Top: int64(100 - i)})
	}
	g.add(label{Index: 12}, curve{Path: "11"}) // the same as 11
	order := []int{12, 5, 11, 6, 7, 8, 9, 10, 0, 4, 3, 2, 1}
	if got := g.rest(order); got != "8 of 11 shown: those furthest from exact" {
		t.Errorf("%q", got)
	}
	var drawn []int
	for _, c := range g.curves {
		if !c.Off && !c.Rest {
			drawn = append(drawn, c.Shown.Index)
		}
	}
	if want := []int{4, 5, 6, 7, 8, 9, 10, 11}; !slices.Equal(drawn, want) {
		t.Errorf("%d are drawn, want %d", drawn, want)
	}
	if g.top() != 96 {
		t.Errorf("the scale goes to %d", g.top())
	}
	g.curves = g.curves[:9] // eight, and the one that is off
	for i := range g.curves {
		g.curves[i].Rest = false
	}
	if got := g.rest(order); got != "" || g.curves[1].Rest {
		t.Errorf("eight: %q", got)
	}
}
