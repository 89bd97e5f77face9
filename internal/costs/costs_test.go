package costs

import (
	"bytes"
	"math"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/script"
)

// The table is that of the scripts as they are: after a change of one, make costs counts anew.
func TestTheTableIsThatOfTheScripts(t *testing.T) {
	counted := map[string]int{}
	for _, f := range Table() {
		c, err := algorithms.Parse(f.Limiter)
		if err != nil {
			t.Fatal(err)
		}
		if sha1 := script.SHA1(c.Algorithm.Script()); f.SHA1 != sha1 {
			t.Errorf("%s: %s of another script, %s; make costs counts this one", f.Limiter, f.Figure, f.SHA1)
		}
		if f.A <= 0 || f.Within > 0.1 || f.X != XName(c.Algorithm, f.Figure) {
			t.Errorf("%+v", f)
		}
		counted[f.Limiter]++
	}
	for name, n := range counted {
		if n != len(Figures()) {
			t.Errorf("%s has %d figures, want %d", name, n, len(Figures()))
		}
	}
}

// A line through points of which none is off, and the best through three that lie on none.
func TestFit(t *testing.T) {
	f := Figure{X: Parts}
	f.Fit([]Point{{1, 12}, {10, 30}, {60, 130}})
	if math.Abs(f.A-10) > 1e-6 || math.Abs(f.B-2) > 1e-6 || f.Within > 1e-6 {
		t.Errorf("%+v", f)
	}
	f = Figure{}
	f.Fit([]Point{{1, 90}, {10, 110}})
	if math.Abs(f.A-99) > 0.1 || f.B != 0 || math.Abs(f.Within-0.1) > 1e-3 {
		t.Errorf("%+v", f)
	}
	f = Figure{X: Entries}
	f.Fit([]Point{{0, 100}, {1, 90}, {1, 110}})
	if math.Abs(f.Within-0.1) > 1e-3 {
		t.Errorf("%+v", f)
	}
}

// Where the points of one x lie nearer to each other than those of another, the line goes through both.
func TestFitOfPointsNearEachOther(t *testing.T) {
	f := Figure{X: Parts}
	f.Fit([]Point{{0, 90}, {0, 110}, {1, 198}, {1, 202}})
	if math.Abs(f.At(1)-200) > 1 || math.Abs(f.Within-0.1) > 1e-3 {
		t.Errorf("%+v", f)
	}
}

func TestTheTableReadsBack(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, Table()); err != nil {
		t.Fatal(err)
	}
	if out.String() != committed {
		t.Error("what is written is not what is read")
	}
}
