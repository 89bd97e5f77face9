package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ratelab/internal/recording"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/regress"
	"ratelab/lua"
	"ratelab/scenarios"
)

// comparison is a quick one on a private server.
func comparison(t testing.TB, base, head string) *Comparison {
	t.Helper()
	redisservertest.Private(t) // or skip
	return &Comparison{
		Base: SideSpec{Spec: base}, Head: SideSpec{Spec: head}, Scenarios: []*scenarios.Scenario{written(t, small)}, Server: redisserver.KindProcess,
		Segment: 50 * time.Millisecond, WarmUp: 10 * time.Millisecond, Connections: 2, Version: "test", Now: time.Now, Sleep: sleep,
	}
}

// dearGCRA writes gcra.lua into a folder, with a loop of so many rounds before it.
func dearGCRA(t testing.TB, rounds string) string {
	t.Helper()
	source, err := lua.Source("gcra")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "gcra.lua")
	loop := "local spent = 0; for i = 1, " + rounds + " do spent = spent + i end\n"
	if err := os.WriteFile(file, []byte(loop+source), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func compare(t testing.TB, c *Comparison) *recording.Paired {
	t.Helper()
	p, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Errorf("the comparison does not add up: %v", err)
	}
	return p
}

// ofTheScripts is the verdict on the two sides as if the machine had been quiet: valid throughout, with a control that
// never moved. That a test's machine is busy is no fault of theirs, and what a busy one does to a verdict is tested
// elsewhere.
func ofTheScripts(p *recording.Paired) *regress.Report {
	p.Validity = recording.Validity{Valid: true, Reasons: []recording.Reason{}}
	for i := range p.Rows {
		for _, pairs := range [][]recording.Pair{p.Rows[i].Pairs, p.Rows[i].Confirm} {
			for k := range pairs {
				pairs[k].Controls = pairs[0].Controls
			}
		}
	}
	return regress.Paired(p)
}

// Both scripts decide alike, and the head takes about three times as long.
func TestASlowdownIsSeen(t *testing.T) {
	p := compare(t, comparison(t, dearGCRA(t, "1"), dearGCRA(t, "3000")))
	report := ofTheScripts(p)
	if v := report.Verdict; v.Outcome != regress.Regression {
		t.Errorf("the verdict is %+v", v)
	}
	for _, g := range report.Gates {
		want := map[string]regress.Outcome{
			regress.GateDecisions: regress.Same, regress.GateWork: regress.Same, regress.GateServerCost: regress.Regression,
		}[g.Name]
		if want != "" && g.Outcome != want {
			t.Errorf("%s: %s, want %s: %+v", g.Name, g.Outcome, want, g.Rows)
		}
		if g.Name == regress.GateServerCost && !(*g.Rows[0].Timing.Ratio > 1.5) {
			t.Errorf("the ratio is %v, want more than 1.5", *g.Rows[0].Timing.Ratio)
		}
	}
}

func TestTheSameIsNoRegression(t *testing.T) {
	same := dearGCRA(t, "1")
	p := compare(t, comparison(t, same, same))
	if v := regress.Paired(p).Verdict; v.Outcome == regress.Regression {
		t.Errorf("the verdict is %+v", v)
	}
	checkPairs(t, p, 1)
}

// checkPairs looks at the order of the pairs, and at their controls.
func checkPairs(t *testing.T, p *recording.Paired, controls int) {
	t.Helper()
	for _, row := range p.Rows {
		for i, pair := range row.Pairs {
			before := pair.Base.StartedUS < pair.Head.StartedUS
			if pair.HeadFirst != (i%2 == 1) || before == pair.HeadFirst {
				t.Errorf("%s pair %d: head first is %t, and base began before it: %t", row.Name, i+1, pair.HeadFirst, before)
			}
			if len(pair.Controls) != controls {
				t.Errorf("%s pair %d has %d controls, want %d", row.Name, i+1, len(pair.Controls), controls)
			}
		}
	}
}
