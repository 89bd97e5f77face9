package compare

import (
	"math"
	"testing"

	"ratelab/internal/longtest"
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

// The same code against itself, thousands of times, over all gates and looks: hardly ever red. Where the machine is as
// it was when this was written, it is also told to be the same.
func TestSameCodeIsNotRed(t *testing.T) {
	longtest.Skip(t, "draws thousands of comparisons")
	for _, c := range []struct {
		name      string
		runs      int
		n         noise
		rows      int
		leastSame float64
	}{
		{"in stretches", 4000, inStretches, 1, 0.99},
		{"in stretches, eight algorithms", 500, inStretches, 8, 0.9},
		{"as measured in one piece", 4000, measured, 1, 0},
		{"as measured in one piece, eight algorithms", 500, measured, 8, 0},
		{"each figure's spread half as much again", 2000, noise{server: 0.16, client: 0.2, spikes: 0.02}, 1, 0},
	} {
		slowdowns := make([]float64, c.rows)
		for i := range slowdowns {
			slowdowns[i] = 1
		}
		got := verdicts(c.runs, c.n, slowdowns...)
		t.Logf("%s: %v", c.name, got)
		if got[Regression] > 0.002 || got[OK] < c.leastSame {
			t.Errorf("%s: the same code came out as %v; want at most 0.002 red and at least %v the same", c.name, got,
				c.leastSame)
		}
	}
}

// A fifth more work for the server is seen, and with few pairs where the machine is quiet.
func TestTwentyPercentIsRed(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        noise
		leastRed float64
	}{
		{"in stretches", inStretches, 0.99},
		{"as measured in one piece", measured, 0.95},
		{"a spread of 11 % and 15 %", noise{server: 0.11, client: 0.15}, 0.9},
	} {
		if got := logged(t, serverCosts(2000, c.n, 1.2)); got[Regression] < c.leastRed {
			t.Errorf("%s: 1.20x came out as %v; want at least %v red", c.name, got, c.leastRed)
		}
	}
	if got := logged(t, serverCosts(500, inStretches, 1.2, 1, 1, 1, 1)); got[Regression] < 0.95 {
		t.Errorf("among five algorithms: 1.20x came out as %v; want at least 0.95 red", got)
	}
	pairs := 0
	const runs = 500
	for seed := range runs {
		pairs += len(simulate(inStretches, uint64(seed)).first(1.2).Rows[0].Pairs)
	}
	if pairs > 18*runs {
		t.Errorf("1.20x took %v pairs on the average, want at most 18: the first look tells nearly always",
			float64(pairs)/runs)
	}
}

// What the gate tolerates is red no more often than it says, at every look together; and what is not equivalent is no
// more often the same. Both at the very edge, where the error is greatest, and with all the pairs that there may be.
func TestTheErrorsAreAsStated(t *testing.T) {
	longtest.Skip(t, "draws thousands of comparisons")
	for _, n := range []noise{inStretches, {server: 0.03, client: 0.03}, measured} {
		for edge, wrong := range map[float64]Outcome{Tolerated: Regression, 1 / Tolerated: Improvement, 1.101: Same} {
			got := logged(t, serverCosts(2000, n, edge))
			if most := Alpha + 0.003; got[wrong] > most { // three standard errors of 2,000 at half of Alpha
				t.Errorf("%+v: %vx came out as %v; want at most %v %s", n, edge, got, most, wrong)
			}
		}
	}
}

// With so many rows the level is that of all of them: none is told to be slower.
func TestTheLevelIsTheFamilys(t *testing.T) {
	n := noise{server: 0.03, client: 0.03}
	slowdowns := make([]float64, 10)
	for i := range slowdowns {
		slowdowns[i] = Tolerated
	}
	got := logged(t, verdicts(longtest.Of(500, 100), n, slowdowns...))
	if got[Regression] > Alpha+0.01 {
		t.Errorf("ten rows of %vx came out as %v; want at most %v red", Tolerated, got, Alpha+0.01)
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
	}
}

// The client's median alone, with a server that takes no longer: both runs must say so.
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
	if wanted/runs > Alpha {
		t.Errorf("the same code asked for a second run in %v of the runs; want at most %v", wanted/runs, Alpha)
	}
	n := inStretches
	n.alone = true
	got := logged(t, share(500, n, func(s *simulation) Outcome {
		return gateNamed(Paired(s.paired(1.3)), GateClientP50).Rows[0].Outcome
	}))
	if got[Regression] < 0.95 {
		t.Errorf("1.30x came out as %v; want at least 0.95 red", got)
	}
}
