package page

import (
	"regexp"
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

func TestStepsAreShort(t *testing.T) {
	if got, want := steps([]int64{0, 4, 4, 8, 0}), "M0 0h1v4h2v4h1v-8h1"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
