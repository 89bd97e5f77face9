package compare

import (
	"math"
	"testing"
)

// verdicts compares simulated runs with these slowdowns, one for each algorithm, and tells how often each verdict came
// out.
func verdicts(runs int, n noise, slowdowns ...float64) map[Outcome]float64 {
	return share(runs, n, func(s *simulation) Outcome { return Paired(s.paired(slowdowns...)).Verdict.Outcome })
}

// logged shows under -v what a bound was compared with.
func logged(t *testing.T, got map[Outcome]float64) map[Outcome]float64 {
	t.Helper()
	t.Log(got)
	return got
}

// serverCosts tells how often each outcome came out for the first algorithm's server cost.
func serverCosts(runs int, n noise, slowdowns ...float64) map[Outcome]float64 {
	return share(runs, n, func(s *simulation) Outcome {
		return pairedGate(s.first(slowdowns...),
			metrics()[0]).Rows[0].Outcome
	})
}

// The same code against itself, thousands of times, over all gates: hardly ever red, and seldom undecided.
func TestSameCodeIsNotRed(t *testing.T) {
	for _, c := range []struct {
		name     string
		runs     int
		n        noise
		rows     int
		mostRed  float64
		mostOpen float64
	}{
		{"as measured", 4000, measured, 1, 0.003, 0.01},
		{"as measured, eight algorithms", 500, measured, 8, 0.008, 0.06},
		{"each figure's spread half as much again", 2000, noise{server: 0.16, client: 0.2, spikes: 0.02}, 1, 0.01,
			0.30},
	} {
		slowdowns := make([]float64, c.rows)
		for i := range slowdowns {
			slowdowns[i] = 1
		}
		got := verdicts(c.runs, c.n, slowdowns...)
		t.Logf("%s: %v", c.name, got)
		if got[Regression] >= c.mostRed || got[Inconclusive] >= c.mostOpen {
			t.Errorf("%s: the same code came out as %v; want less than %v red and %v undecided", c.name, got, c.mostRed,
				c.mostOpen)
		}
	}
}

// A fifth more work for the server is seen.
func TestTwentyPercentIsRed(t *testing.T) {
	for name, n := range map[string]noise{"as measured": measured,
		"without spikes, a spread of 11 % and 15 %": {server: 0.11, client: 0.15}} {
		if got := logged(t, serverCosts(1500, n, 1.2)); got[Regression] < 0.95 {
			t.Errorf("%s: 1.20x came out as %v; want at least 0.95 red", name, got)
		}
	}
	if got := logged(t, serverCosts(300, measured, 1.2, 1, 1, 1, 1)); got[Regression] < 0.95 {
		t.Errorf("among five algorithms: 1.20x came out as %v; want at least 0.95 red", got)
	}
}

// What lies below the threshold is seldom red: at a spread of 11 % twenty pairs cannot tell 1.05 from 1.10 always, and
// at half of it they can.
func TestFivePercentIsNotRed(t *testing.T) {
	if got := logged(t, serverCosts(1500, measured, 1.05)); got[Regression] > 0.08 {
		t.Errorf("1.05x came out as %v; want at most 0.08 red", got)
	}
	quiet := noise{server: 0.05, client: 0.07}
	if got := logged(t, serverCosts(1500, quiet, 1.05)); got[Regression] > 0.02 {
		t.Errorf("1.05x on a quiet machine came out as %v; want at most 0.02 red", got)
	}
}

// A machine that slows down hurts both sides alike.
func TestDriftIsNotRed(t *testing.T) {
	for _, slower := range []float64{0.7, 1.4, 2} {
		n := measured
		n.drift = math.Log(slower)
		got := verdicts(500, n, 1)
		t.Logf("a drift to %.1fx: %v", slower, got)
		if got[Regression] >= 0.01 {
			t.Errorf("a drift to %.1fx came out as %v; want less than 0.01 red", slower, got)
		}
		if slower == 2 && got[Inconclusive] < 0.3 {
			t.Errorf("a drift to 2x came out as %v; a control that drifts so far is not steady", got)
		}
	}
}

// The client's median alone: both runs together are as careful as one test at the square of its level.
func TestClientMedianIsConfirmed(t *testing.T) {
	wanted := 0.0
	const runs = 1500
	for seed := range runs {
		s := simulate(measured, uint64(seed))
		if p := s.paired(1); len(p.Rows[0].Confirm) > 0 {
			wanted++
		}
	}
	t.Logf("asked for a second run: %v", wanted/runs)
	if wanted/runs > 0.02 {
		t.Errorf("the same code asked for a second run in %v of the runs; want at most 0.02", wanted/runs)
	}
	got := logged(t, share(500, measured, func(s *simulation) Outcome {
		return gateNamed(Paired(s.paired(1.3)), GateClientP50).Rows[0].Outcome
	}))
	if got[Regression] < 0.9 {
		t.Errorf("1.30x came out as %v; want at least 0.9 red", got)
	}
}
