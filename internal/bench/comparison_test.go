package bench

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/compare"
	_ "ratelab/internal/container/docker"
	"ratelab/internal/longtest"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/scenario"
	"ratelab/lua"
)

// comparison is a quick one on a private server.
func comparison(t testing.TB, base, head string) *Comparison {
	t.Helper()
	redisservertest.Private(t) // or skip
	return &Comparison{
		Base: SideSpec{Spec: base}, Head: SideSpec{Spec: head}, Scenarios: []*scenario.Scenario{written(t,
			small)}, Server: redisserver.KindProcess,
		Segment: 50 * time.Millisecond, WarmUp: 10 * time.Millisecond, Connections: 2, Version: "test", Now: time.Now,
		Sleep: sleep,
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

// inPairs runs a comparison, which does not give up however many pairs a busy machine spoils.
func inPairs(t testing.TB, c *Comparison) *benchresult.Paired {
	t.Helper()
	planned, err := c.plan()
	if err != nil {
		t.Fatal(err)
	}
	r := newPairRun(planned)
	r.void.planned = math.MaxInt32
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := r.played(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := benchresulttest.CheckPaired(p); err != nil {
		t.Errorf("the comparison does not add up: %v", err)
	}
	return p
}

// ofTheScripts is the verdict on the two sides as if the machine had been quiet: valid throughout, with a control that
// never moved. That a test's machine is busy is no fault of theirs, and what a busy one does to a verdict is tested
// elsewhere.
func ofTheScripts(p *benchresult.Paired) *compare.Report {
	p.Validity = benchresult.Validity{Valid: true, Reasons: []benchresult.Reason{}}
	for i := range p.Rows {
		for _, pairs := range [][]benchresult.Pair{p.Rows[i].Pairs, p.Rows[i].Confirm} {
			for k := range pairs {
				pairs[k].Controls = pairs[0].Controls
			}
		}
	}
	return compare.Paired(p)
}

// Both scripts decide alike, and the head takes about three times as long.
func TestASlowdownIsSeen(t *testing.T) {
	longtest.Skip(t, "measures pairs")
	p := inPairs(t, comparison(t, dearGCRA(t, "1"), dearGCRA(t, "3000")))
	report := ofTheScripts(p)
	if v := report.Verdict; v.Outcome != compare.Regression {
		t.Errorf("the verdict is %+v", v)
	}
	for _, g := range report.Gates {
		want := map[string]compare.Outcome{
			compare.GateDecisions: compare.Same, compare.GateWork: compare.Same,
			compare.GateServerCost: compare.Regression,
		}[g.Name]
		if want != "" && g.Outcome != want {
			t.Errorf("%s: %s, want %s: %+v", g.Name, g.Outcome, want, g.Rows)
		}
		if g.Name == compare.GateServerCost && !(*g.Rows[0].Timing.Ratio > 1.5) {
			t.Errorf("the ratio is %v, want more than 1.5", *g.Rows[0].Timing.Ratio)
		}
	}
}

func TestTheSameIsNoRegression(t *testing.T) {
	longtest.Skip(t, "measures pairs")
	same := dearGCRA(t, "1")
	c := comparison(t, same, same)
	c.Segment = 2 * stretchLength
	p := inPairs(t, c)
	if v := compare.Paired(p).Verdict; v.Outcome == compare.Regression {
		t.Errorf("the verdict is %+v", v)
	}
	checkPairs(t, p, 1)
	for i, pair := range p.Rows[0].Pairs {
		for _, s := range append(pair.Controls, pair.Base, pair.Head) {
			if len(s.Halves) != 2 || s.Halves[0].Calls+s.Halves[1].Calls != s.Calls || s.Halves[0].Calls == 0 ||
				s.Halves[1].Calls == 0 {
				t.Errorf("pair %d: %d calls, and the halves are %+v", i+1, s.Calls, s.Halves)
			}
		}
	}
}

// checkPairs looks at the order of the pairs, and at their controls.
func checkPairs(t *testing.T, p *benchresult.Paired, controls int) {
	t.Helper()
	for _, row := range p.Rows {
		for i, pair := range row.Pairs {
			before := pair.Base.StartedUS < pair.Head.StartedUS
			if pair.HeadFirst != (i%2 == 1) || before == pair.HeadFirst {
				t.Errorf("%s pair %d: head first is %t, and base began before it: %t", row.Name, i+1, pair.HeadFirst,
					before)
			}
			if len(pair.Controls) != controls {
				t.Errorf("%s pair %d has %d controls, want %d", row.Name, i+1, len(pair.Controls), controls)
			}
		}
	}
}

// Two servers at once, each with its own control, decide alike.
func TestTwoServers(t *testing.T) {
	longtest.Skip(t, "measures pairs")
	c := comparison(t, redisserver.KindProcess, "process=redis-server")
	c.Server, c.Algorithms, c.Pairs = "", choices(t, "gcra", "sliding-window-log"), 2
	p := inPairs(t, c)
	checkPairs(t, p, 2)
	if len(p.Rows) != 2 || len(p.Rows[0].Pairs) != 2 || p.Rows[0].Name != "gcra" || p.Base.Name == p.Head.Name {
		t.Errorf("%d rows, the first %q with %d pairs, of %q and %q", len(p.Rows), p.Rows[0].Name, len(p.Rows[0].Pairs),
			p.Base.Name, p.Head.Name)
	}
	checkGates(t, p)
}

// checkGates: what is counted is the same on both sides.
func checkGates(t *testing.T, p *benchresult.Paired) {
	t.Helper()
	for _, g := range compare.Paired(p).Gates[:2] {
		if g.Outcome != compare.Same {
			t.Errorf("%s: %s: %+v", g.Name, g.Outcome, g.Rows)
		}
	}
}

// Images side by side, each on a socket of its own.
func TestTwoImages(t *testing.T) {
	images := redisservertest.Images()
	if testing.Short() {
		t.Skip("containers take seconds; leave out -short")
	}
	if len(images) < 2 {
		const want = "want two images; set RATELAB_TEST_IMAGES=redis:8.0-alpine,valkey/valkey:8.1-alpine"
		if os.Getenv("REQUIRE_DOCKER") == "1" {
			t.Fatal(want)
		}
		t.Skip(want)
	}
	c := comparison(t, images[0], "container="+images[1])
	c.Server, c.Algorithms, c.Pairs = "", choices(t, "gcra"), 2
	p := inPairs(t, c)
	checkPairs(t, p, 2)
	if p.Base.Server.Image != images[0] || p.Head.Server.Image != images[1] ||
		p.Base.Server.Kind != redisserver.KindContainer {
		t.Errorf("the sides are %+v and %+v", p.Base, p.Head)
	}
	for _, pair := range p.Rows[0].Pairs {
		if pair.Base.ServerUSPerCall == nil || pair.Head.ServerUSPerCall == nil {
			t.Errorf("no server µs in %+v", pair)
		}
	}
}

// Two algorithms decide otherwise, which is said exactly.
func TestAlgorithmsAreCompared(t *testing.T) {
	longtest.Skip(t, "measures pairs")
	c := comparison(t, "gcra", "fixed-window")
	c.Pairs, c.Scenarios = 1, nil // all that are built in, and whose clients do not react
	p := inPairs(t, c)
	if row := p.Rows[0]; row.Name != "gcra -> fixed-window" || len(row.Base.Exact) != len(plain(t)) ||
		row.Base.Algorithm != "gcra" {
		t.Errorf("%s with %d scenarios, base %+v", row.Name, len(row.Base.Exact), row.Base.Identity)
	}
	if g := compare.Paired(p).Gates[0]; g.Name != compare.GateDecisions || g.Outcome != compare.Regression {
		t.Errorf("%s: %s", g.Name, g.Outcome)
	}
}

func TestStopKeepsTheFinishedPairs(t *testing.T) {
	for text, pairs := range map[string]int{"pair 3": 2, "virtual time": 0} {
		c := comparison(t, "gcra", "gcra")
		stop := make(chan struct{})
		c.Pairs, c.Stop, c.Progress = 4, stop, &at{text, func() { close(stop) }}
		if p := inPairs(t, c); !p.Partial || len(p.Rows[0].Pairs) != pairs {
			t.Errorf("stopped at %q: partial %t, %d pairs, want %d", text, p.Partial, len(p.Rows[0].Pairs), pairs)
		}
	}
}

// By hand: the halves of each side, and of nothing that was measured in one piece.
func TestNeighboursAreTheHalvesOfASide(t *testing.T) {
	whole := func(a, b int64) benchresult.Sample {
		return benchresult.Sample{Halves: []benchresult.Sample{{Calls: a}, {Calls: b}}}
	}
	rows := []benchresult.PairedRow{{
		Pairs: []benchresult.Pair{{Base: whole(1, 2), Head: whole(3, 4)},
			{Base: benchresult.Sample{Calls: 9}, Head: whole(5, 6)}},
		Confirm: []benchresult.Pair{{Base: whole(7, 8)}},
	}}
	var got []int64
	for _, pair := range neighbours(rows) {
		for _, s := range pair {
			got = append(got, s.Calls)
		}
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("the neighbours are %v, want %v", got, want)
	}
}

// A script that fails ends the run, and its error names it.
func TestAFailingScript(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my.lua":  "if redis.call('INCR', KEYS[1]) > 110 then return 'nonsense' end return 1",
		"my.yaml": `{keys: ["rl:{key}"], admitted: [1], rejected: [0]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := tiny(t)
	j.Scripts = []string{filepath.Join(dir, "my.lua")}
	if r, err := j.Run(t.Context()); r != nil || err == nil || !strings.Contains(err.Error(), "my: ") ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("got %v and %v; want an error that names the script and its reply", r, err)
	}
}
