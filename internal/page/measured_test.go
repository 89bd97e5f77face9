package page

import (
	"strings"
	"testing"

	"ratelab/internal/chart"
	"ratelab/internal/result"
)

// measuredToo is worked with a stretch of it that was played in two rounds, from its second second on: gcra answers
// after 100 µs at first and after 900 in the end, and a row stands there that virtual time does not know.
func measuredToo() Input {
	in := worked()
	run := &in.Document.Runs[0]
	in.Bench = result.New(result.OfBench, "v1")
	in.Bench.Measurement = &result.Measurement{Server: result.BenchServer{
		Server: result.Server{Kind: "container", Name: "redis", Version: "8.0.3", Transport: "unix"}}}
	in.Bench.Machine.CPU, in.Bench.Settings.Rounds = "Example CPU", 2
	in.Bench.Validity.Valid = true
	in.Bench.NoiseFloor = result.NoiseFloor{Pairs: 9, ResponseP50US: 1.1}
	played := result.Run{Scenario: run.Scenario, Seed: run.Seed, Limit: run.Limit,
		Played: &result.Part{FromUS: 1_000_000, LengthUS: 3_000_000}}
	in.Bench.Latency = []result.Latency{
		playedRow("none", 8, []int64{4, 4, 0}, 90, 0, 0),
		playedRow("gcra", 6, []int64{4, 2, 0}, 100, 0, 900),
		playedRow("gcra:burst=2", 2, []int64{1, 1, 0}, 95, 95, 95),
	}
	for i := range in.Bench.Latency {
		l := &in.Bench.Latency[i]
		l.Scenario = run.Scenario
		row := result.Row{Algorithm: l.Algorithm}
		row.Admitted = 60
		played.Results = append(played.Results, row)
	}
	in.Bench.Runs = []result.Run{played}
	*in.Bench.Latency[1].Rounds[0].DiffersFromVirtual = 3
	return in
}

// playedRow has 120 answers in each second in which they took any time, and so many of them more rejected.
func playedRow(label string, peak int64, admitted []int64, us ...int64) result.Latency {
	round := func() result.Round {
		return result.Round{Admitted: 60, Rejected: 15, DiffersFromVirtual: new(int64)}
	}
	row := result.Latency{Rounds: []result.Round{round(), round()},
		Course: &result.Course{BucketUS: 1_000_000, Offered: []int64{8, 8, 0}, Admitted: admitted,
			Rolling: []int64{peak / 2, peak, 0}}}
	row.Algorithm = label
	row.Admitted, row.Rejected = 120, 30
	row.Outcomes = outcomes()
	for i, v := range us {
		interval := result.Interval{StartUS: int64(i) * 1_000_000, WidthUS: 1_000_000}
		if v > 0 {
			interval.Admitted, interval.Rejected = result.NewHistogram(), result.NewHistogram()
		}
		for range min(v, 120) {
			_ = interval.Admitted.RecordValue(v)
			_ = row.Outcomes.Admitted.Response.RecordValue(v)
		}
		for range min(v, 30) {
			_ = interval.Rejected.RecordValue(2 * v)
			_ = row.Outcomes.Rejected.Response.RecordValue(2 * v)
		}
		row.Intervals = append(row.Intervals, interval)
	}
	return row
}

func outcomes() result.Outcomes {
	empty := func() result.Durations { return result.Durations{Response: result.NewHistogram()} }
	return result.Outcomes{Admitted: empty(), Rejected: empty()}
}

// What was played under another limit or seed is not shown beside what virtual time decided.
func TestMeasuredOfAnotherRun(t *testing.T) {
	want := rendered(t, worked())
	for _, change := range []func(*result.Run){
		func(p *result.Run) { p.Seed++ },
		func(p *result.Run) { p.Limit.Requests++ },
		func(p *result.Run) { p.Scenario = "other" },
	} {
		in := measuredToo()
		change(&in.Bench.Runs[0])
		if rendered(t, in) != want {
			t.Error("another run's measurement is on the page")
		}
	}
}

// An invalid measurement says so.
func TestMeasuredIsNotTrustedBlindly(t *testing.T) {
	in := measuredToo()
	if strings.Contains(rendered(t, in), "INVALID") {
		t.Error("a valid run is called invalid")
	}
	in.Bench.Validity = result.Validity{
		Reasons: []result.Reason{{Code: "stall", Where: "gcra", Statement: "it stood still"}}}
	if !strings.Contains(rendered(t, in), `<p class="alarm"><bdi>INVALID: it stood still in gcra`) {
		t.Error("nothing says that the run is invalid")
	}
}

// Steps have a gap where there is no value, unless 0 is one.
func TestStepsOn(t *testing.T) {
	axis := chart.Axis{Max: 10}
	for _, c := range []struct {
		gaps               bool
		path, list, reason string
	}{
		{true, "M1 500h1h1V710h1M5 200h1", "5 5 7.1 2", "with gaps"},
		{false, "M0 0h1V500h1h1V710h1V0h1V200h1", "0 5 5 7.1 0 2", "without"},
	} {
		path, list := stepsOn(axis, []float64{0, 5, 5, 7.1, 0, 2}, c.gaps)
		if path != c.path || list != c.list {
			t.Errorf("%s: %s, %s", c.reason, path, list)
		}
	}
}
