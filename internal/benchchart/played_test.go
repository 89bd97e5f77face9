package benchchart

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/chart"
	"ratelab/internal/curves"
)

// The picture says how much was let through of what was allowed, on what, and how far its times can be relied on.
func TestPlayedSaysWhatItShows(t *testing.T) {
	r := small()
	text := words(t, []*benchresult.Document{r}, "tiny.admitted-latency")
	for _, want := range []string{"6 of 4", "4 of 4", "1.50 × the limit", "within the limit", "gcra", "2 rounds",
		"valid", "the same code again"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\nnone\n") {
		t.Error("the control has a column")
	}
	r.Validity.Valid = false
	text = words(t, []*benchresult.Document{r}, "tiny.admitted-latency")
	if !strings.Contains(text, "\nINVALID: ") || !strings.HasSuffix(text, "INVALID") {
		t.Errorf("nothing says that the run is invalid:\n%s", text)
	}
}

// Where an interval has too few answers the line has a gap.
func TestStretchesHaveGaps(t *testing.T) {
	d := &playedDrawing{Played: &curves.Played{IntervalUS: 10, EndUS: 45}}
	a := &chart.Axes{Box: chart.Box{Right: 50, Bottom: 1}, Horizontal: chart.TimeBetween(0, 50, 40),
		Vertical: chart.Amounts(100, 30, "")}
	var xs [][]float64
	for _, line := range d.stretches(a, []float64{7, 8, 0, 9, 9}) {
		var x []float64
		for _, q := range line {
			x = append(x, q.X)
		}
		xs = append(xs, x)
	}
	if len(xs) != 2 || !slices.Equal(xs[0], []float64{0, 10, 10, 20}) ||
		!slices.Equal(xs[1], []float64{30, 40, 40, 45}) {
		t.Errorf("stretches at %v, want from 0 to 20 and from 30 to the end at 45", xs)
	}
}

// What is offered sets the scale unless it dwarfs all that is let through: then it is cut off, and says so.
func TestOfferedIsCutOff(t *testing.T) {
	of := func(offered, admitted float64) float64 {
		row := curves.PlayedRow{OfferedPerS: []float64{offered}, AdmittedPerS: []float64{admitted}}
		p := &curves.Played{Rows: []curves.PlayedRow{row}}
		p.Limit.Requests, p.Limit.WindowUS = 10, 1_000_000
		return newPlayedDrawing(p).perS
	}
	for _, c := range []struct{ offered, admitted, want float64 }{{60, 20, 60}, {61, 20, 30}, {8, 4, 10}, {31, 4, 15}} {
		if got := of(c.offered, c.admitted); got != c.want {
			t.Errorf("%v offered and %v let through: a scale to %v, want %v", c.offered, c.admitted, got, c.want)
		}
	}
	text := words(t, situations()[0].in, "retry-storm.admitted-latency")
	if !strings.Contains(text, "offered 10 k") {
		t.Errorf("nothing says how much was offered:\n%s", text)
	}
}
