package chart

import (
	"slices"
	"strings"
	"time"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

// small is a result whose figures can be added up by hand: the control and two algorithms, ten requests each.
func small() *result.Document {
	r := result.New(result.OfBench, "v1.0.0")
	r.Measurement = &result.Measurement{Server: result.BenchServer{Own: true,
		Server: result.Server{Kind: "process", Name: "redis-server", Version: "7.0.15", Transport: "unix"}}}
	r.Started = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	r.Machine = result.Machine{CPU: "Example CPU", Cores: 2}
	r.Validity.Valid = true
	r.NoiseFloor = result.NoiseFloor{Pairs: 3, ServerUS: 1.05, ResponseP50US: 1.1}
	r.Settings = result.Settings{Rounds: 2, Connections: 4}
	run := result.Run{Scenario: "tiny", Question: "?", Seed: 7,
		Limit:  result.Limit{Requests: 4, WindowUS: 1_000_000, Burst: 4},
		Played: &result.Part{FromUS: 40_000_000, LengthUS: 2_000_000}}
	for i, label := range []string{"none", "gcra", "sliding-window-log"} {
		run.Results = append(run.Results, result.Row{Algorithm: label})
		r.Latency = append(r.Latency, smallRow(label, i))
	}
	r.Runs = []result.Run{run}
	return r
}

func smallRow(label string, i int) result.Latency {
	admitted, rejected := durations(), durations()
	row := result.Latency{Scenario: "tiny", Algorithm: label}
	for n := range int64(10) {
		into := &admitted
		if i > 0 && n >= 6 {
			into = &rejected
		}
		_ = into.Response.RecordValue((n + 1) * 100 * int64(i+1))
		_ = into.Service.RecordValue((n + 1) * 50)
	}
	row.Outcomes = result.Outcomes{Admitted: admitted, Rejected: rejected}
	row.ServerUSPerCall = pointer(4 + 3*float64(i))
	row.Intervals = []result.Interval{
		{StartUS: 0, WidthUS: 1_000_000, Admitted: admitted.Response, Rejected: rejected.Response},
		{StartUS: 1_000_000, WidthUS: 1_000_000},
	}
	row.Rounds = make([]result.Round, 2)
	row.Course = &result.Course{BucketUS: 500_000, Offered: []int64{8, 2, 0, 0},
		Admitted: []int64{8 - 2*int64(min(i, 1)), 2 - 2*int64(min(i, 1)), 0, 0},
		Rolling:  []int64{4, 8 - 2*int64(i), 4, 0}}
	return row
}

func pointer(v float64) *float64 { return &v }

// benches are results that the layout has to survive, each in its own way.
func benches() map[string]*result.Document {
	return map[string]*result.Document{"example": benchmarktest.Example(), "one-algorithm": only("none", "gcra"),
		"none-alone": only("none"), "fifteen": fifteen(), "nothing-rejected": nothingRejected(),
		"no-requests": noRequests(), "huge": hugeBench(), "shared-server": benchmarktest.Shared(),
		"invalid": benchmarktest.Invalid()}
}

// dearer is the example on a server that is slower by a factor.
func dearer(factor float64) *result.Document {
	r := benchmarktest.Example()
	for i := range r.Latency {
		l := &r.Latency[i]
		l.ServerUSPerCall = new(factor * *l.ServerUSPerCall)
	}
	return r
}

// only keeps some of the example's algorithms.
func only(labels ...string) *result.Document {
	r := benchmarktest.Example()
	keep := func(label string) bool { return strings.Contains(" "+strings.Join(labels, " ")+" ", " "+label+" ") }
	r.Latency = slices.DeleteFunc(r.Latency, func(l result.Latency) bool { return !keep(l.Algorithm) })
	return r
}

// relabel gives the i-th row of every list another name.
func relabel(r *result.Document, i int, label string) {
	for k := range r.Runs {
		plays := r.Plays(&r.Runs[k])
		plays[i].Latency.Algorithm = label
		r.Runs[k].Results = append(r.Runs[k].Results, result.Row{Algorithm: label})
	}
}

// fifteen are all built-in algorithms, three with parameters, and two scripts of a user's, close to each other.
func fifteen() *result.Document {
	r := benchmarktest.Example()
	twin, third := dearer(1.02), dearer(1.05)
	var latency []result.Latency
	for i := range r.Runs {
		all := latencyOf(r, i)
		for _, other := range []*result.Document{twin, third} {
			all = append(all, latencyOf(other, i)[1:]...)
		}
		latency = append(latency, all[:16]...)
	}
	r.Latency = latency
	for i, label := range []string{"leaky-bucket", "token-bucket", "token-bucket-debt", "token-bucket-interval",
		"sliding-window-buckets",
		"sliding-window-buckets:sub_windows=60", "token-bucket-interval:capacity=1000:refill=10:interval=30ms",
		"my-script", "another script of ours, whose name is long & <odd>"} {
		relabel(r, 7+i, label)
	}
	return r
}

// latencyOf is that of one run.
func latencyOf(r *result.Document, run int) (all []result.Latency) {
	for _, p := range r.Plays(&r.Runs[run]) {
		all = append(all, *p.Latency)
	}
	return all
}

// nothingRejected has algorithms that reject nothing, and one that rejects all.
func nothingRejected() *result.Document {
	r := benchmarktest.Example()
	for i := range r.Latency {
		row := &r.Latency[i]
		empty := &row.Outcomes.Rejected
		if i%7 == 3 {
			empty = &row.Outcomes.Admitted
		}
		*empty = durations()
		for j := range row.Intervals {
			row.Intervals[j].Rejected = nil
		}
	}
	return r
}

func durations() result.Durations {
	return result.Durations{Lag: result.NewHistogram(), Wait: result.NewHistogram(),
		Service: result.NewHistogram(), Response: result.NewHistogram()}
}

// noRequests has a scenario whose part that was played is a pause.
func noRequests() *result.Document {
	r := benchmarktest.Example()
	for _, open := range r.Plays(&r.Runs[0]) {
		open.Outcomes = result.Outcomes{Admitted: durations(), Rejected: durations()}
		for j := range open.Intervals {
			open.Intervals[j].Admitted, open.Intervals[j].Rejected = nil, nil
		}
	}
	return r
}

// hugeBench has figures at the upper end of what can be measured.
func hugeBench() *result.Document {
	r := dearer(40_000)
	for i := range r.Runs {
		for _, row := range r.Plays(&r.Runs[i]) {
			for _, h := range []**result.Histogram{&row.Outcomes.Admitted.Response, &row.Intervals[0].Admitted} {
				*h = &result.Histogram{Histogram: (*h).Clone()}
				_ = (*h).RecordValues(result.HighestUS, 10)
			}
		}
		r.Runs[i].Limit = result.Limit{Requests: 123_456_789, WindowUS: 86_400_000_000, Burst: 9_876_543_210}
	}
	return r
}
