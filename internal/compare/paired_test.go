package compare

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

// outcomes are the gates' outcomes in their order.
func outcomes(r *Report) []Outcome {
	var all []Outcome
	for _, g := range r.Gates {
		all = append(all, g.Outcome)
	}
	return all
}

// still is a run without noise: base and head are as dear as the slowdown says, the control as ever.
func still(slowdown float64) *benchresult.Paired { return simulate(noise{}, 1).paired(slowdown) }

// alone is still where the head is slower for its clients only.
func alone(slowdown float64) *benchresult.Paired {
	return simulate(noise{alone: true}, 1).paired(slowdown)
}

// withCounts gives both sides the same decisions and work, so that every gate has something to judge.
func withCounts(p *benchresult.Paired) *benchresult.Paired {
	example := exampleRow()
	for i := range p.Rows {
		p.Rows[i].Base, p.Rows[i].Head = example.Base, example.Head
		p.Rows[i].Head.Exact = slices.Clone(example.Head.Exact)
	}
	return p
}

var exampleRow = sync.OnceValue(func() benchresult.PairedRow { return benchresulttest.Paired(1).Rows[0] })

// Each way to go wrong, one at a time, in a run that is fine apart from it.
func TestPairedVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      *benchresult.Paired
		spoil   func(*benchresult.Paired)
		want    []Outcome // decisions, work, server-cost, client-p50, client-p99
		verdict Outcome
		finding string // part of the first
	}{
		{"the same code", still(1), nil, []Outcome{Same, Same, Same, Same, Noted}, OK, ""},
		{"slower", still(1.3), nil, []Outcome{Same, Same, Regression, Regression, Noted}, Regression,
			"regression server-cost: gcra: server_us_per_decision 10 -> 13, 1.30x [1.30, 1.30] after 16 pairs"},
		{"faster", still(1 / 1.3), nil, []Outcome{Same, Same, Improvement, Improvement, Noted}, OK,
			"improvement server-cost: gcra"},
		{"slower by what is tolerated", still(1.045), nil, []Outcome{Same, Same, Same, Same, Noted}, OK, ""},
		{"slower by little, and shown to be", still(1.09), nil, []Outcome{Same, Same, Regression, Regression, Noted},
			Regression, "regression server-cost: gcra: server_us_per_decision 10 -> 10.9, 1.09x [1.09, 1.09] after " +
				"16 pairs"},
		{"another decision", still(1), func(p *benchresult.Paired) { p.Rows[0].Head.Exact[0].Admitted++ },
			[]Outcome{Regression, Same, Same, Same, Noted}, Regression,
			"regression decisions: gcra, ten-times-over: admitted 998 -> 999, and no other measure differs"},
		{"another decision in the hash alone", still(1),
			func(p *benchresult.Paired) { p.Rows[0].Head.Exact[0].DecisionsDigest = strings.Repeat("ab", 16) },
			[]Outcome{Regression, Same, Same, Same, Noted}, Regression,
			"regression decisions: gcra, ten-times-over: decisions_digest 97364cdb630d -> abababababab, and no other " +
				"measure differs"},
		{"a key for ever", still(1), func(p *benchresult.Paired) { p.Rows[0].Head.Work.KeysLeftWithoutTTL = count(1) },
			[]Outcome{Same, Regression, Same, Same, Noted}, Regression, "regression work: gcra: " +
				"keys_left_without_ttl 0 -> 1"},
		{"fewer calls", still(1), func(p *benchresult.Paired) { p.Rows[0].Head.Work.RedisCallsPerDecision = float(2) },
			[]Outcome{Same, Improvement, Same, Same, Noted}, OK, "improvement work: gcra: redis_calls_per_decision " +
				"2.15 -> 2"},
		{"8 pairs", still(1.3), func(p *benchresult.Paired) { p.Rows[0].Pairs = p.Rows[0].Pairs[:8] },
			[]Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive, "inconclusive server-cost: " +
				"after 8 pairs the ratio is 1.30x [0, inf]"},
		{"9 pairs", still(1.3), func(p *benchresult.Paired) { p.Rows[0].Pairs = p.Rows[0].Pairs[:9] },
			[]Outcome{Same, Same, Regression, Regression, Noted}, Regression, "regression server-cost: gcra"},
		{"no control", still(1.3), func(p *benchresult.Paired) {
			eachPair(p,
				func(_ int, q *benchresult.Pair) { q.Controls = nil })
		},
			[]Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive,
			"inconclusive server-cost: the control was not measured beside them"},
		{"a control that jumps", still(1.3), func(p *benchresult.Paired) {
			eachPair(p, func(i int, q *benchresult.Pair) { slow(&q.Controls[0], 1+0.5*float64(i%2)) })
		}, []Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive,
			"inconclusive server-cost: the control changed by 1.50x from one measurement to the next, more than 1.35x"},
		{"a control that drifts", still(1.3), func(p *benchresult.Paired) {
			eachPair(p, func(i int, q *benchresult.Pair) { slow(&q.Controls[0], 1+float64(i)/16) })
		}, []Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive,
			"inconclusive server-cost: the control drifted to 1.61x of what it was, beyond 1.50x"},
		{"one hiccup of the control", still(1.3),
			func(p *benchresult.Paired) { slow(&p.Rows[0].Pairs[7].Controls[0], 30) },
			[]Outcome{Same, Same, Regression, Regression, Noted}, Regression, "regression server-cost: gcra"},
		{"the head always first", still(1.3),
			func(p *benchresult.Paired) { eachPair(p, func(_ int, q *benchresult.Pair) { q.HeadFirst = true }) },
			[]Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive, "inconclusive server-cost: the " +
				"head came first in 16 of 16 pairs, want half"},
		{"an invalid run", still(1.3), func(p *benchresult.Paired) {
			p.Validity = benchresult.Validity{Reasons: []benchresult.Reason{{Code: "stall", Where: "pair 3",
				Statement: "stood still for 203 ms"}}}
		}, []Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive,
			"inconclusive server-cost: the run is not valid: pair 3: stood still for 203 ms"},
		{"an interrupted run", still(1.3), func(p *benchresult.Paired) { p.Partial = true },
			[]Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive, "inconclusive server-cost: the " +
				"run was interrupted"},
		{"a regression outweighs what is not known", still(1.3),
			func(p *benchresult.Paired) { p.Partial = true; p.Rows[0].Head.Exact[0].Rejected-- },
			[]Outcome{Regression, Same, Inconclusive, Inconclusive, Noted}, Regression, "regression decisions"},
		{"pairs at odds", still(1), func(p *benchresult.Paired) {
			p.Rows[0].Pairs = simulate(noise{}, 1).pairs(64, 1)
			eachPair(p, func(i int, q *benchresult.Pair) { slow(&q.Head, []float64{0.7, 1.6}[i/2%2]) })
		}, []Outcome{Same, Same, Inconclusive, Inconclusive, Noted}, Inconclusive,
			"inconclusive server-cost: after 64 pairs the ratio is 1.06x [0.70, 1.60]; about "},
		{"a server that others use", still(1), func(p *benchresult.Paired) {
			eachPair(p, func(_ int, q *benchresult.Pair) {
				q.Base.ServerUSPerCall, q.Head.ServerUSPerCall, q.Controls[0].ServerUSPerCall = nil, nil, nil
			})
		}, []Outcome{Same, Same, Noted, Same, Noted}, OK, ""},
		{"a slower client", alone(1.3), nil, []Outcome{Same, Same, Same, Regression, Noted}, Regression,
			"regression client-p50: gcra: service_p50_us 130 -> 169, 1.30x [1.30, 1.30] after 16 pairs"},
		{"no second run", alone(1.3), func(p *benchresult.Paired) { p.Rows[0].Confirm = nil },
			[]Outcome{Same, Same, Same, Inconclusive, Noted}, Inconclusive,
			"inconclusive client-p50: slower, and there is no second run to confirm it"},
		{"a second run that says otherwise", alone(1.3),
			func(p *benchresult.Paired) { p.Rows[0].Confirm = still(1.02).Rows[0].Pairs },
			[]Outcome{Same, Same, Same, Same, Noted}, OK, ""},
		{"a second run too short", alone(1.3),
			func(p *benchresult.Paired) { p.Rows[0].Confirm = p.Rows[0].Confirm[:4] },
			[]Outcome{Same, Same, Same, Inconclusive, Noted}, Inconclusive,
			"inconclusive client-p50: second run: after 4 pairs the ratio is 1.30x [0, inf]; about 12 more are needed"},
	} {
		withCounts(c.of)
		if c.spoil != nil {
			c.spoil(c.of)
		}
		r := Paired(c.of)
		if !slices.Equal(outcomes(r), c.want) || r.Verdict.Outcome != c.verdict ||
			r.Verdict.ExitCode != c.verdict.ExitCode() {
			t.Errorf("%s: %v, %v, exit %d; want %v, %v", c.name, outcomes(r), r.Verdict.Outcome, r.Verdict.ExitCode,
				c.want, c.verdict)
		}
		first := strings.Join(append(r.Verdict.Findings, ""), "\n")
		if !strings.HasPrefix(first, c.finding) || c.finding == "" && first != "" {
			t.Errorf("%s: finds\n%swant %q first", c.name, first, c.finding)
		}
		if r.Verdict.Outcome == Inconclusive && len(r.Verdict.Remedies) == 0 {
			t.Errorf("%s: says nothing that would help", c.name)
		}
	}
}

func eachPair(p *benchresult.Paired, change func(i int, q *benchresult.Pair)) {
	for i := range p.Rows {
		for j := range p.Rows[i].Pairs {
			change(j, &p.Rows[i].Pairs[j])
		}
	}
}

// slow makes a measurement so many times as slow.
func slow(s *benchresult.Sample, by float64) {
	s.ServerUSPerCall = float(*s.ServerUSPerCall * by)
	s.ServiceP50US *= by
	s.ServiceP99US *= by
}

func count(n int64) *int64     { return &n }
func float(f float64) *float64 { return &f }

// Nothing compared is nothing found out.
func TestNothingIsInconclusive(t *testing.T) {
	r := Paired(&benchresult.Paired{Header: benchresult.Header{Validity: benchresult.Validity{Valid: true}}})
	if r.Verdict.Outcome != Inconclusive || r.Verdict.ExitCode != 4 || len(r.Verdict.Findings) != 1 {
		t.Errorf("an empty comparison gives %+v", r.Verdict)
	}
}

// A server for each side: the raw ratio is judged, and what the servers differ by is told beside it.
func TestTwoServers(t *testing.T) {
	p := still(1.3)
	eachPair(p, func(_ int, q *benchresult.Pair) {
		other := q.Controls[0]
		slow(&other, 1.25)
		q.Controls = append(q.Controls, other)
	})
	r := Paired(p)
	row := gateNamed(r, GateServerCost).Rows[0]
	if row.Outcome != Regression || times(*row.Timing.Ratio) != "1.30x" ||
		times(*row.Timing.RatioToControl) != "1.04x" || times(*row.Timing.Control.Ratio) != "1.25x" {
		t.Errorf("%v: ratio %v, to control %v, the control's own %v", row.Outcome, *row.Timing.Ratio,
			*row.Timing.RatioToControl, *row.Timing.Control.Ratio)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "a server each") {
		t.Errorf("notes %q do not say what was judged", r.Notes)
	}
}

// The floor is that of neighbours of one side: A B, B A, A B puts B beside B, then A beside A.
func TestNoiseFloorByHand(t *testing.T) {
	p := still(1).Rows[0].Pairs[:3]
	for i, us := range []struct{ base, head float64 }{{10, 20}, {11, 22}, {12.1, 40}} {
		p[i].HeadFirst = i == 1
		p[i].Base.ServerUSPerCall, p[i].Head.ServerUSPerCall = &us.base, &us.head
	}
	// head 20 -> 22, then base 11 -> 12.1: a tenth each.
	if got := noiseFloor(p, metrics()[0]); got == nil || math.Abs(*got-1.1) > 1e-9 {
		t.Errorf("floor %v, want 1.1", got)
	}
	p[1].HeadFirst = false
	if got := noiseFloor(p, metrics()[0]); got != nil {
		t.Errorf("with no neighbours of one side the floor is %v, want none", *got)
	}
}

// NeedsConfirmation asks where the client is red in the first run and the server is not.
func TestNeedsConfirmation(t *testing.T) {
	for slowdown, want := range map[float64]bool{1: false, 1.04: false, 1.3: true, 0.7: false} {
		if row := alone(slowdown).Rows[0]; NeedsConfirmation(&row, 1) != want {
			t.Errorf("%vx: %t, want %t", slowdown, !want, want)
		}
		if row := still(slowdown).Rows[0]; NeedsConfirmation(&row, 1) {
			t.Errorf("%vx of both asks for a second run, and the server's time says all", slowdown)
		}
	}
	row := alone(1.3).Rows[0]
	row.Pairs = row.Pairs[:8]
	if NeedsConfirmation(&row, 1) {
		t.Error("eight pairs ask for a second run, and could not be judged with one")
	}
}

// Swapping the sides inverts every ratio and its interval, and makes an improvement of each regression.
func TestSwappingSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slowdown := rapid.Float64Range(0.5, 2).Draw(t, "slowdown")
		s := simulate(measured, rapid.Uint64().Draw(t, "seed"))
		n := rapid.IntRange(18, 40).Draw(t, "pairs")
		there := &benchresult.Paired{Rows: []benchresult.PairedRow{{Name: "gcra", Pairs: s.pairs(n, slowdown)}}}
		there.Validity.Valid = true
		back := &benchresult.Paired{Header: there.Header, Rows: []benchresult.PairedRow{{Name: "gcra"}}}
		for _, p := range there.Rows[0].Pairs {
			back.Rows[0].Pairs = append(back.Rows[0].Pairs,
				benchresult.Pair{HeadFirst: !p.HeadFirst, Base: p.Head, Head: p.Base, Controls: p.Controls})
		}
		a, b := gateNamed(Paired(there), GateServerCost).Rows[0], gateNamed(Paired(back), GateServerCost).Rows[0]
		for _, pair := range [][2]*float64{{a.Timing.Ratio, b.Timing.Ratio}, {a.Timing.RatioLow, b.Timing.RatioHigh},
			{a.Timing.RatioHigh, b.Timing.RatioLow}} {
			if math.Abs(*pair[0]**pair[1]-1) > 1e-9 {
				t.Fatalf("%v and %v are not inverse", *pair[0], *pair[1])
			}
		}
		if *a.Timing.NoiseFloor != *b.Timing.NoiseFloor || a.Timing.MorePairs != b.Timing.MorePairs {
			t.Fatalf("%+v\nswapped is %+v", a.Timing, b.Timing)
		}
		if (a.Outcome == Regression) != (b.Outcome == Improvement) ||
			(a.Outcome == Improvement) != (b.Outcome == Regression) {
			t.Fatalf("%s, and swapped %s", a.Outcome, b.Outcome)
		}
	})
}

// Scenarios that one side did not decide are named, and nothing is made of them.
func TestScenariosOfOneSideAreNamed(t *testing.T) {
	p := withCounts(still(1))
	p.Rows[0].Head.Exact[0].Scenario = "retry-storm"
	r := Paired(p)
	want := []string{"gcra, ten-times-over: the sides did not decide the same scenario",
		"gcra, retry-storm: the sides did not decide the same scenario"}
	if !slices.Equal(r.Notes, want) || gateNamed(r, GateDecisions).Outcome != Noted {
		t.Errorf("notes %q and %v", r.Notes, gateNamed(r, GateDecisions).Outcome)
	}
	p = withCounts(still(1))
	p.Rows[0].Head.Exact[0].ScenarioSHA256 = strings.Repeat("0", 64)
	if r := Paired(p); !slices.Equal(r.Notes, want[:1]) || gateNamed(r, GateDecisions).Outcome != Noted {
		t.Errorf("another scenario of the same name: notes %q and %v", r.Notes, gateNamed(r, GateDecisions).Outcome)
	}
}
