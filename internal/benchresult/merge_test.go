package benchresult_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

// later is the example measured again an hour after.
func later() *benchresult.Document {
	r := fresh()
	r.Started = r.Started.Add(time.Hour)
	return r
}

// Two times the same run: every count twice, every median and percentile the same.
func TestMergeOfTheSameFigures(t *testing.T) {
	a, b := fresh(), later()
	m, err := benchresult.Merge(b, a) // in either order
	if err != nil {
		t.Fatal(err)
	}
	one, two := gcra(a), gcra(m)
	if two.Open.Offered != 2*one.Open.Offered || two.Open.Rejected != 2*one.Open.Rejected || len(two.Rounds) != 10 || m.Settings.Rounds != 10 {
		t.Errorf("offered %d, rejected %d, %d rounds", two.Open.Offered, two.Open.Rejected, len(two.Rounds))
	}
	if last := two.Rounds[9]; last.Round != 10 || last.StartedUS != one.Rounds[4].StartedUS+3_600_000_000 {
		t.Errorf("the last round is %d at %d µs", last.Round, last.StartedUS)
	}
	response := two.Open.Latency.Accepted.Response
	if response.TotalCount() != 2*one.Open.Accepted || response.ValueAtPercentile(99) != one.Open.Latency.Accepted.Response.ValueAtPercentile(99) {
		t.Error("the response is not that of both")
	}
	x, y := a.Costs[5].Mixes[2], m.Costs[5].Mixes[2]
	if y.ThroughputPerS != x.ThroughputPerS || *y.ServerUSPerCall != *x.ServerUSPerCall || *y.RatioToControl != *x.RatioToControl || len(y.Samples) != 10 {
		t.Errorf("the mix of both: %+v", y)
	}
	if l := m.Costs[5].Sweep[3]; math.Abs(l.ThroughputPerS-a.Costs[5].Sweep[3].ThroughputPerS) > 1e-6 || l.Service.TotalCount() != 4000 {
		t.Errorf("the sweep of both: %v/s of %d", l.ThroughputPerS, l.Service.TotalCount())
	}
	if m.NoiseFloor.Pairs != 7*3*9 || len(m.Notes) != 1 {
		t.Errorf("%d pairs, notes %q", m.NoiseFloor.Pairs, m.Notes)
	}
	if diff := cmp.Diff(benchresulttest.Example(), a, cmp.Comparer(func(x, y *benchresult.Histogram) bool { return x.Equals(y.Histogram) })); diff != "" {
		t.Errorf("merging changed what was merged:\n%s", diff)
	}
}

// Throughputs of two runs are joined as calls over time: 100 at 100/s and 300 at 150/s are 400 in 3 s.
func TestMergeJoinsThroughputs(t *testing.T) {
	a, b := small(), small()
	b.Started = b.Started.Add(time.Hour)
	for r, l := range map[*benchresult.Document]benchresult.Level{a: {Connections: 8, ThroughputPerS: 100}, b: {Connections: 8, ThroughputPerS: 150}} {
		l.Service = benchresult.NewHistogram()
		l.Service.RecordValues(70, map[float64]int64{100: 100, 150: 300}[l.ThroughputPerS])
		r.Costs[0].Sweep = []benchresult.Level{l}
	}
	m, err := benchresult.Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Costs[0].Sweep[0].ThroughputPerS; math.Abs(got-400.0/3) > 1e-9 {
		t.Errorf("%v/s", got)
	}
}

// An interval in which only one run sent something stays; an invalid or partial run makes the whole so.
func TestMergeOfUnlikeParts(t *testing.T) {
	a, b := fresh(), benchresulttest.Invalid()
	b.Started = b.Started.Add(time.Hour)
	row := &b.Runs[1].Rows[0].Open
	lost := row.Intervals[2].Latency.Accepted.Response.TotalCount()
	if lost == 0 {
		t.Fatal("the interval is empty")
	}
	alone := a.Runs[1].Rows[0].Open.Intervals[1]
	row.Intervals = append(row.Intervals[:1:1], row.Intervals[2:]...) // the second half of the first second is a's alone
	m, err := benchresult.Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if m.Validity.Valid || len(m.Validity.Reasons) != 2 || !m.Partial {
		t.Errorf("%+v, partial %t", m.Validity, m.Partial)
	}
	if got := m.Runs[1].Rows[0].Open.Intervals[1]; got.StartUS != alone.StartUS || got.Latency != alone.Latency {
		t.Errorf("the interval of one alone: %+v", got)
	}
	if got := m.Runs[1].Rows[0].Open.Intervals[2].Latency.Accepted.Response.TotalCount(); got != 2*lost {
		t.Errorf("the interval has %d, want %d", got, 2*lost)
	}
}

func TestMergeRefuses(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*benchresult.Document)
	}{
		{"both were started at the same instant", func(r *benchresult.Document) { r.Started = r.Started.Add(-time.Hour) }},
		{`the servers differ (version: "8.0.3" and "7.0.15")`, func(r *benchresult.Document) { r.Server.Version = "7.0.15" }},
		{"the machines differ (cores: 2 and 64)", func(r *benchresult.Document) { r.Machine.Cores = 64 }},
		{"the generators differ", func(r *benchresult.Document) { r.Generator.Pacer = "time.Sleep" }},
		{"the settings differ", func(r *benchresult.Document) { r.Settings.Connections = 50 }},
		{"one has 2 scenarios, the other 1 scenario", func(r *benchresult.Document) { r.Runs = r.Runs[:1] }},
		{"the scenarios differ", func(r *benchresult.Document) { r.Runs[1].ScenarioSHA256 = "edited" }},
		{"ten-times-over: one has 7 algorithms, the other 6 algorithms", func(r *benchresult.Document) { r.Runs[0].Rows = r.Runs[0].Rows[:6] }},
		{"gcra is not the same script", func(r *benchresult.Document) { gcra(r).ScriptSHA1 = "other" }},
		{"gcra is not the same script with the same parameters", func(r *benchresult.Document) { gcra(r).Parameters = map[string]string{"burst": "1"} }},
		{`the algorithms differ: "gcra" and "token-bucket"`, func(r *benchresult.Document) { gcra(r).Algorithm = "token-bucket" }},
		{"ten-times-over, gcra: the decisions differ", func(r *benchresult.Document) { e := *gcra(r).Exact; e.DecisionsSHA256 = "other"; gcra(r).Exact = &e }},
		{"the cost of 7 algorithms, the other of 6", func(r *benchresult.Document) { r.Costs = r.Costs[:6] }},
		{"cost of gcra: the mixes or the sweeps differ", func(r *benchresult.Document) { r.Costs[5].Mixes = r.Costs[5].Mixes[:2] }},
		{"cost of gcra: the memory differs", func(r *benchresult.Document) { r.Costs[5].Memory[0].Bytes++ }},
	} {
		b := later()
		c.change(b)
		_, err := benchresult.Merge(example(), b)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
