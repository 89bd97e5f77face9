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
		y, _ := strconv.ParseInt(regexp.MustCompile(`^M0 (\d+)`).FindStringSubmatch(path)[1], 10, 64)
		var got []int64
		for _, move := range regexp.MustCompile(`([hv])(-?\d+)`).FindAllStringSubmatch(path, -1) {
			n, _ := strconv.ParseInt(move[2], 10, 64)
			if move[1] == "v" {
				y += n
				continue
			}
			for range n {
				got = append(got, y)
			}
		}
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

func TestStepsAreShort(t *testing.T) {
	if got, want := steps([]int64{0, 4, 4, 8, 0}), "M0 0h1v4h2v4h1v-8h1"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// Joining buckets loses no peak, and the last sum is the whole.
func TestJoinedBucketsKeepPeaks(t *testing.T) {
	in := large().Charts[0]
	c := newCourse(in, newLabels(nil))
	if c.places != 256 || c.join != 2 {
		t.Fatalf("%d places of %d buckets", c.places, c.join)
	}
	if got, want := maximum(c.highest(in.Reference.Rolling)), maximum(in.Reference.Rolling); got != want {
		t.Errorf("peak %d; want %d", got, want)
	}
	var sum int64
	for _, v := range in.Reference.Admitted {
		sum += v
	}
	if got := c.soFar(in.Reference.Admitted)[255]; got != sum {
		t.Errorf("%d in the end; want %d", got, sum)
	}
}
