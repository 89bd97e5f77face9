package compare

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

// another is the example as a later run with this many rounds of closed loop found it, its scenarios left out.
func another(rounds int, seed uint64, n noise, slowdown float64) *benchresult.Document {
	r := &benchresult.Document{Header: benchresult.Header{Validity: benchresult.Validity{Valid: true}}}
	r.Started = time.Unix(int64(seed), 0).UTC()
	r.Server.Kind, r.Server.Name, r.Server.Version, r.Server.Transport = "process", "redis", "7.0.15", "unix"
	s := &simulation{n, rand.New(rand.NewPCG(seed, 30))}
	for _, c := range []struct {
		label            string
		serverUS, client float64
	}{{controlName, 4, 100}, {"gcra", 10 * slowdown, 130 * slowdown}} {
		mix := benchresult.Mix{Mix: benchresult.MixHalf, AllocationsPerCall: float(11)}
		for i := range rounds {
			mix.Samples = append(mix.Samples, s.sample(c.serverUS, c.client, float64(i)/float64(rounds)))
		}
		r.Costs = append(r.Costs, benchresult.Cost{Identity: benchresult.Identity{Algorithm: c.label}, Mixes: []benchresult.Mix{mix}})
	}
	return r
}

var exampleDocument = sync.OnceValue(benchresulttest.Example)

// example is a complete result whose header, runs, rows and fills may be changed; its histograms are shared.
func example() *benchresult.Document {
	r := *exampleDocument()
	r.Runs, r.Costs = slices.Clone(r.Runs), slices.Clone(r.Costs)
	for i := range r.Runs {
		r.Runs[i].Rows = slices.Clone(r.Runs[i].Rows)
	}
	for i := range r.Costs {
		r.Costs[i].Memory = slices.Clone(r.Costs[i].Memory)
	}
	return &r
}

// compareFiles fails the test where the files are refused.
func compareFiles(t *testing.T, older, younger *benchresult.Document) *Report {
	t.Helper()
	r, err := Files(older, younger)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFilesVerdicts(t *testing.T) {
	quiet := noise{}
	for _, c := range []struct {
		name           string
		older, younger *benchresult.Document
		spoil          func(older, younger *benchresult.Document)
		want           []Outcome // decisions, work, server-cost, client-p50, client-p99
		finding        string
	}{
		{"the same code", another(20, 1, quiet, 1), another(20, 2, quiet, 1), nil, []Outcome{Noted, Same, Same, Same, Noted}, ""},
		{"slower", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), nil, []Outcome{Noted, Same, Regression, Inconclusive, Noted},
			"regression server-cost: gcra, half: server_us_per_decision 10 -> 13, 1.30x [1.30, 1.30], p <0.0001"},
		{"faster", another(20, 1, quiet, 1), another(20, 2, quiet, 0.7), nil, []Outcome{Noted, Same, Improvement, Improvement, Noted},
			"improvement server-cost: gcra, half"},
		{"three rounds", another(3, 1, quiet, 1), another(20, 2, quiet, 1.3), nil, []Outcome{Noted, Same, Inconclusive, Inconclusive, Noted},
			"inconclusive server-cost: rounds: 3, want at least 20"},
		{"three rounds of one file", another(3, 1, quiet, 1), another(3, 1, quiet, 1), nil, []Outcome{Noted, Same, Same, Same, Noted}, ""},
		{"without the control", another(20, 1, quiet, 1), another(20, 2, quiet, 1), func(_, y *benchresult.Document) { y.Costs = y.Costs[1:] },
			[]Outcome{Noted, Same, Inconclusive, Inconclusive, Noted}, "inconclusive server-cost: the control was not measured beside them"},
		{"a slower machine", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(_, y *benchresult.Document) {
			for i := range y.Costs[0].Mixes[0].Samples {
				slow(&y.Costs[0].Mixes[0].Samples[i], 1.3)
			}
		}, []Outcome{Noted, Same, Inconclusive, Inconclusive, Noted},
			"inconclusive server-cost: the control was 1.30x in the new run of what it was in the old, beyond 1.10x"},
		{"an invalid run", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(o, _ *benchresult.Document) { o.Validity = benchresult.Validity{} },
			[]Outcome{Noted, Same, Inconclusive, Inconclusive, Noted}, "inconclusive server-cost: the run is not valid"},
		{"an interrupted run", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(_, y *benchresult.Document) { y.Partial = true },
			[]Outcome{Noted, Same, Noted, Noted, Noted}, ""},
		{"another machine", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(_, y *benchresult.Document) { y.Machine.CPU = "faster" },
			[]Outcome{Noted, Same, Noted, Noted, Noted}, ""},
		{"another version", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(_, y *benchresult.Document) { y.Server.Version = "8.0.3" },
			[]Outcome{Noted, Same, Noted, Noted, Noted}, ""},
		{"other settings", another(20, 1, quiet, 1), another(20, 2, quiet, 1.3), func(_, y *benchresult.Document) { y.Settings.Connections = 3 },
			[]Outcome{Noted, Same, Noted, Noted, Noted}, ""},
		{"more allocations", another(20, 1, quiet, 1), another(20, 2, quiet, 1), func(_, y *benchresult.Document) {
			y.Costs[1].Mixes[0].AllocationsPerCall = float(11.12)
		}, []Outcome{Noted, Regression, Same, Same, Noted}, "regression work: gcra, half: client_allocations_per_call 11 -> 11.1"},
		{"hardly more allocations", another(20, 1, quiet, 1), another(20, 2, quiet, 1), func(_, y *benchresult.Document) {
			y.Costs[1].Mixes[0].AllocationsPerCall = float(11.1)
		}, []Outcome{Noted, Same, Same, Same, Noted}, ""},
	} {
		if c.spoil != nil {
			c.spoil(c.older, c.younger)
		}
		r := compareFiles(t, c.older, c.younger)
		first := strings.Join(append(r.Verdict.Findings, ""), "\n")
		if !slices.Equal(outcomes(r), c.want) || !strings.HasPrefix(first, c.finding) || c.finding == "" && first != "" {
			t.Errorf("%s: %v, finds\n%swant %v and %q first", c.name, outcomes(r), first, c.want, c.finding)
		}
	}
}

// Every row of two complete results is compared, and a result with itself is the same throughout.
func TestARecordingWithItself(t *testing.T) {
	r := compareFiles(t, example(), example())
	want := []Outcome{Same, Same, Same, Same, Noted}
	if !slices.Equal(outcomes(r), want) || r.Verdict.Outcome != OK || len(r.Verdict.Findings) > 0 {
		t.Errorf("%v, %+v; want %v", outcomes(r), r.Verdict, want)
	}
	// 7 algorithms under 2 scenarios; 6 besides the control, 3 mixes and 2 scenarios.
	if d, s := len(gateNamed(r, GateDecisions).Rows), len(gateNamed(r, GateServerCost).Rows); d != 14 || s != 30 {
		t.Errorf("%d decisions and %d server costs compared, want 14 and 30", d, s)
	}
}

// Memory that grows is found, by the fill at which it does.
func TestMemoryIsCompared(t *testing.T) {
	older, younger := example(), example()
	younger.Costs[5].Memory[3].Bytes += 8
	work := gateNamed(compareFiles(t, older, younger), GateWork)
	i := slices.IndexFunc(work.Rows, func(r Judgement) bool { return r.Outcome == Regression })
	if i < 0 || work.Rows[i].label() != "gcra, after 1000 requests" || work.Rows[i].Measure != "bytes_of_one_client" {
		t.Errorf("8 bytes more were not found: %v", work.Outcome)
	}
	younger.Settings.FillLimit.Requests++
	if work := gateNamed(compareFiles(t, older, younger), GateWork); work.Outcome != Same {
		t.Errorf("fills under another limit were compared: %v", work.Outcome)
	}
}

// Two results that answer different questions are refused, in one line that says which.
func TestFilesAreRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*benchresult.Document)
		want   string
	}{
		{func(r *benchresult.Document) { r.Server.Name = "valkey" },
			"the old file was measured on redis, the new one on valkey; compare results of one kind of server, or measure both in one run with --base and --head"},
		{func(r *benchresult.Document) { r.Runs[1].Seed = 2 },
			`scenario "retry-storm": its seed is 1 in the old file and 2 in the new one; measure both with the same scenario, seed, limit and duration`},
		{func(r *benchresult.Document) { r.Runs[0].Limit.Requests = 34 },
			`scenario "ten-times-over": its limit is 333/1s in the old file and 34/1s burst 333 in the new one; measure both with the same scenario, seed, limit and duration`},
		{func(r *benchresult.Document) { r.Runs[1].PlayedUS = 1_500_000 },
			`scenario "retry-storm": its played time is 3s in the old file and 1.5s in the new one; measure both with the same scenario, seed, limit and duration`},
		{func(r *benchresult.Document) { r.Runs[1].ScenarioSHA256 = strings.Repeat("0", 60) },
			`scenario "retry-storm": its contents (sha256) is `},
		{func(r *benchresult.Document) { r.Runs, r.Costs = nil, nil },
			"the files have no algorithm in common; compare results of the same scenarios and algorithms"},
	} {
		younger := example()
		c.change(younger)
		_, err := Files(example(), younger)
		var refused *Refusal
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("gives %v\nwant  %s", err, c.want)
		}
	}
}

// What only one file holds is named, and the rest compared. Another script is what one compares for.
func TestWhatOneFileHoldsIsNamed(t *testing.T) {
	older, younger := example(), example()
	older.Runs = older.Runs[:1]
	younger.Runs[0].Rows = append(younger.Runs[0].Rows[:2], younger.Runs[0].Rows[4:]...)
	younger.Costs = younger.Costs[:6]
	younger.Runs[0].Rows[1].ScriptSHA1 = strings.Repeat("0", 40)
	r := compareFiles(t, older, younger)
	want := []string{
		"scenario only in the new file, not compared: retry-storm",
		"ten-times-over: algorithm only in the old file, not compared: fixed-window-aligned, sliding-window-counter",
		"closed loop of algorithm only in the old file, not compared: gcra:burst=50",
		"both files hold the same run",
	}
	if !slices.Equal(r.Notes, want) || r.Verdict.Outcome != OK {
		t.Errorf("%v, notes %q\nwant %q", r.Verdict.Outcome, r.Notes, want)
	}
}

// Two runs of the same code on a steady machine are hardly ever red, and a fifth more work is seen.
func TestFilesSeeWhatPairsSee(t *testing.T) {
	for _, c := range []struct {
		slowdown      float64
		least, most   float64
		leastDecided  float64
		runs          int
		secondMachine float64 // how much slower everything is in the new run
	}{
		{1, 0, 0.005, 0.98, 1000, 1},
		{1.2, 0.95, 1, 0, 300, 1},
		{1, 0, 0.01, 0, 200, 1.5}, // the control tells
	} {
		red, decided := 0., 0.
		for seed := range c.runs {
			older, younger := another(20, uint64(2*seed), measured, 1), another(20, uint64(2*seed+1), measured, c.slowdown)
			for i := range younger.Costs {
				for j := range younger.Costs[i].Mixes[0].Samples {
					slow(&younger.Costs[i].Mixes[0].Samples[j], c.secondMachine)
				}
			}
			outcome := (&files{older: older, younger: younger}).gate(metrics()[0]).Outcome // the others' ties take long
			if outcome == Regression {
				red++
			}
			if outcome != Inconclusive {
				decided++
			}
		}
		red, decided = red/float64(c.runs), decided/float64(c.runs)
		t.Logf("%vx on a machine %vx: %v red, %v decided", c.slowdown, c.secondMachine, red, decided)
		if red < c.least || red > c.most || decided < c.leastDecided {
			t.Errorf("%vx on a machine %vx: %v red, %v decided; want %+v", c.slowdown, c.secondMachine, red, decided, c)
		}
	}
}
