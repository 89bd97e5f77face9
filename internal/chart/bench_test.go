package chart

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/curves"
	"ratelab/internal/result"
)

// chartsOf are the charts of a result that can be drawn.
func chartsOf(t *testing.T, r *result.Document) []*Figure {
	t.Helper()
	figures, _, err := OfBench(r)
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// The pictures of benchmarks survive every situation.
func TestPicturesOfBenches(t *testing.T) {
	for name, r := range benches() {
		figures := chartsOf(t, r)
		show(t, name, figures)
		for _, f := range figures {
			checkPicture(t, f)
		}
	}
}

// The pictures of the small result, and of a scenario that is less small, are those that were looked at.
func TestGoldenPictures(t *testing.T) {
	storm := only("none", "gcra", "sliding-window-counter")
	storm.Runs = storm.Runs[1:] // it has answers enough for response times
	for _, f := range append(chartsOf(t, small()), chartsOf(t, storm)...) {
		checkGolden(t, f)
	}
}

func TestInvalidAndPartialRunsSaySo(t *testing.T) {
	r := small()
	r.Partial = true
	r.Validity = result.Validity{Reasons: []result.Reason{{Code: "stall", Where: "gcra", Statement: "it stood still"}}}
	for _, f := range chartsOf(t, r) {
		const want = "INVALID: it stood still in gcra; do not use the times. PARTIAL: interrupted before its end. "
		if !strings.HasPrefix(f.Subtitle, want) {
			t.Errorf("%s: subtitle %q, want it to begin with %q", f.Name, f.Subtitle, want)
		}
	}
	text := words(t, figureOf(t, chartsOf(t, r), "tiny.admitted-latency"))
	if !strings.HasSuffix(text, "INVALID") {
		t.Errorf("nothing says that the run is invalid:\n%s", text)
	}
}

// Where an interval has too few answers the line has a gap.
func TestStretchesHaveGaps(t *testing.T) {
	s := &playedScales{Played: &curves.Played{IntervalUS: 10, EndUS: 45}}
	var xs [][]float64
	for _, line := range s.stretches([]float64{7, 8, 0, 9, 9}) {
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
		p := &curves.Played{OneKey: true, Rows: []curves.PlayedRow{row}}
		p.Limit.Requests, p.Limit.WindowUS = 10, 1_000_000
		return newPlayedScales(p).perS
	}
	for _, c := range []struct{ offered, admitted, want float64 }{{60, 20, 60}, {61, 20, 30}, {8, 4, 10}, {31, 4, 15}} {
		if got := of(c.offered, c.admitted); got != c.want {
			t.Errorf("%v offered and %v let through: a scale to %v, want %v", c.offered, c.admitted, got, c.want)
		}
	}
	text := words(t, figureOf(t, chartsOf(t, benches()["example"]), "retry-storm.admitted-latency"))
	if !strings.Contains(text, "offered 10 k") {
		t.Errorf("nothing says how much was offered:\n%s", text)
	}
}

// Every figure of the small result, by hand.
func TestBenchDataByHand(t *testing.T) {
	figures := chartsOf(t, small())
	for name, want := range map[string]string{
		"tiny.admitted-latency": `server,algorithm,rounds,start_us,width_us,offered,admitted,rolling,admitted_responses,admitted_response_us_p50,admitted_response_us_p99,rejected,rejected_response_us_p50,rejected_response_us_p99
redis-server 7.0.15,none,2,40000000,500000,8,8,4,,,,,,
redis-server 7.0.15,none,2,40500000,500000,2,2,8,,,,,,
redis-server 7.0.15,none,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,none,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,none,2,40000000,1000000,,,,10,500,1000,0,,
redis-server 7.0.15,none,2,41000000,1000000,,,,0,,,0,,
redis-server 7.0.15,gcra,2,40000000,500000,8,6,4,,,,,,
redis-server 7.0.15,gcra,2,40500000,500000,2,0,6,,,,,,
redis-server 7.0.15,gcra,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,gcra,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,gcra,2,40000000,1000000,,,,6,600,1200,4,1600,2000
redis-server 7.0.15,gcra,2,41000000,1000000,,,,0,,,0,,
redis-server 7.0.15,sliding-window-log,2,40000000,500000,8,6,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,40500000,500000,2,0,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,41000000,500000,0,0,4,,,,,,
redis-server 7.0.15,sliding-window-log,2,41500000,500000,0,0,0,,,,,,
redis-server 7.0.15,sliding-window-log,2,40000000,1000000,,,,6,900,1800,4,2401,3001
redis-server 7.0.15,sliding-window-log,2,41000000,1000000,,,,0,,,0,,
`,
	} {
		if got := string(figureOf(t, figures, name).Data); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
}

// A label that a spreadsheet would take for a formula is defused, and one with a comma is quoted.
func TestBenchDataIsSafe(t *testing.T) {
	r := small()
	relabel(r, 1, "=1+1,2")
	for _, f := range chartsOf(t, r) {
		if text := string(f.Data); strings.Contains(text, ",=1") || !strings.Contains(text, `,"'=1+1,2",`) {
			t.Errorf("%s:\n%s", f.Name, text)
		}
	}
}

// What cannot be drawn is said in one line.
func TestBenchRefuses(t *testing.T) {
	upwards := small()
	upwards.Runs[0].Scenario = "../escape"
	for want, r := range map[string]*result.Document{
		"chart: a result without scenarios: nothing to draw": {},
		`chart: scenario "../escape" is not a file name`:     upwards,
	} {
		if _, _, err := OfBench(r); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
