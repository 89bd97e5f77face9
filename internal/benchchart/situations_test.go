package benchchart

import (
	"strings"
	"sync"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/result"
)

// situation is an input that the layout has to survive, in its own way.
type situation struct {
	name string
	in   []*benchresult.Document
}

// situations are made once: tests read them.
var situations = sync.OnceValue(func() []situation {
	return []situation{
		{"example", []*benchresult.Document{benchresulttest.Example()}},
		{"two-servers", []*benchresult.Document{benchresulttest.Example(), valkey()}},
		{"four-of-one-server", []*benchresult.Document{benchresulttest.Example(), benchresulttest.Example(),
			dearer(1.3), dearer(1.8)}},
		{"one-algorithm", []*benchresult.Document{only("none", "gcra")}},
		{"none-alone", []*benchresult.Document{only("none")}},
		{"fifteen", []*benchresult.Document{fifteen()}},
		{"nothing-rejected", []*benchresult.Document{nothingRejected()}},
		{"no-requests", []*benchresult.Document{noRequests()}},
		{"huge", []*benchresult.Document{huge()}},
		{"shared-server", []*benchresult.Document{shared()}},
		{"shared-beside-own", []*benchresult.Document{shared(), valkey()}},
		{"invalid", []*benchresult.Document{benchresulttest.Invalid()}},
		{"noisy", []*benchresult.Document{noisy()}},
		{"no-costs", []*benchresult.Document{noCosts()}},
		{"no-scenarios", []*benchresult.Document{noScenarios()}},
	}
})

// dearer is the example on a server that is slower by a factor.
func dearer(factor float64) *benchresult.Document {
	r := benchresulttest.Example()
	scale := func(v *float64) {
		if v != nil {
			*v *= factor
		}
	}
	for i := range r.Runs {
		for k := range r.Runs[i].Rows {
			scale(r.Runs[i].Rows[k].Open.ServerUSPerCall)
		}
	}
	for i := range r.Costs {
		for k := range r.Costs[i].Mixes {
			m := &r.Costs[i].Mixes[k]
			scale(m.ServerUSPerCall)
			for j := range m.Samples {
				scale(m.Samples[j].ServerUSPerCall)
			}
		}
		for k := range r.Costs[i].Sweep {
			r.Costs[i].Sweep[k].ThroughputPerS /= factor
		}
		for k := range r.Costs[i].Memory {
			r.Costs[i].Memory[k].Bytes = int64(float64(r.Costs[i].Memory[k].Bytes) * factor)
		}
	}
	return r
}

func valkey() *benchresult.Document {
	r := dearer(0.85)
	r.Server.Name, r.Server.Version, r.Server.Image = "valkey", "8.1.1", "valkey:8.1"
	r.NoiseFloor.ServerUS = 1.05
	return r
}

// only keeps some of the example's algorithms.
func only(labels ...string) *benchresult.Document {
	r := benchresulttest.Example()
	keep := func(label string) bool { return strings.Contains(" "+strings.Join(labels, " ")+" ", " "+label+" ") }
	for i := range r.Runs {
		var rows []benchresult.Limiter
		for _, row := range r.Runs[i].Rows {
			if keep(row.Algorithm) {
				rows = append(rows, row)
			}
		}
		r.Runs[i].Rows = rows
	}
	var costs []benchresult.Cost
	for _, c := range r.Costs {
		if keep(c.Algorithm) {
			costs = append(costs, c)
		}
	}
	r.Costs = costs
	return r
}

// relabel gives the i-th row of every list another name.
func relabel(r *benchresult.Document, i int, label string) {
	for k := range r.Runs {
		r.Runs[k].Rows[i].Algorithm = label
	}
	r.Costs[i].Algorithm = label
}

// fifteen are all built-in algorithms, three with parameters, and two scripts of a user's, close to each other.
func fifteen() *benchresult.Document {
	r := benchresulttest.Example()
	twin, third := dearer(1.02), dearer(1.05)
	for _, other := range []*benchresult.Document{twin, third} {
		for i := range r.Runs {
			r.Runs[i].Rows = append(r.Runs[i].Rows, other.Runs[i].Rows[1:]...)
		}
		r.Costs = append(r.Costs, other.Costs[1:]...)
	}
	for i := range r.Runs {
		r.Runs[i].Rows = r.Runs[i].Rows[:16]
	}
	r.Costs = r.Costs[:16]
	for i, label := range []string{"leaky-bucket", "token-bucket", "token-bucket-debt", "token-bucket-interval",
		"sliding-window-buckets",
		"sliding-window-buckets:sub_windows=60", "token-bucket-interval:capacity=1000:refill=10:interval=30ms",
		"my-script", "another script of ours, whose name is long & <odd>"} {
		relabel(r, 7+i, label)
	}
	return r
}

// nothingRejected has algorithms that reject nothing, and one that rejects all.
func nothingRejected() *benchresult.Document {
	r := benchresulttest.Example()
	for i := range r.Runs {
		for k := range r.Runs[i].Rows {
			row := &r.Runs[i].Rows[k]
			empty := &row.Open.Latency.Rejected
			if k == 3 {
				empty = &row.Open.Latency.Accepted
				row.Exact.Overshoot = 0
			}
			*empty = durations()
			for j := range row.Open.Intervals {
				row.Open.Intervals[j].Rejected = nil
			}
		}
	}
	return r
}

func durations() benchresult.Durations {
	return benchresult.Durations{Lag: benchresult.NewHistogram(), Wait: benchresult.NewHistogram(),
		Service: benchresult.NewHistogram(), Response: benchresult.NewHistogram()}
}

// noRequests has a scenario whose part that was played is a pause.
func noRequests() *benchresult.Document {
	r := benchresulttest.Example()
	for k := range r.Runs[0].Rows {
		open := &r.Runs[0].Rows[k].Open
		open.Latency = benchresult.Outcomes{Accepted: durations(), Rejected: durations()}
		for j := range open.Intervals {
			open.Intervals[j].Accepted, open.Intervals[j].Rejected = nil, nil
		}
	}
	return r
}

// huge has figures at the upper end of what can be measured.
func huge() *benchresult.Document {
	r := dearer(40_000)
	for i := range r.Runs {
		for k := range r.Runs[i].Rows {
			row := &r.Runs[i].Rows[k]
			row.Exact.Overshoot *= float64(1 + 400*k)
			for _, h := range []**benchresult.Histogram{&row.Open.Latency.Accepted.Response,
				&row.Open.Intervals[0].Accepted} {
				*h = &benchresult.Histogram{Histogram: (*h).Clone()}
				_ = (*h).RecordValues(benchresult.HighestUS, 10)
			}
		}
		r.Runs[i].Limit = result.Limit{Requests: 123_456_789, WindowUS: 86_400_000_000, Burst: 9_876_543_210}
	}
	for i := range r.Costs {
		for k := range r.Costs[i].Sweep {
			r.Costs[i].Sweep[k].ThroughputPerS *= 4e9
		}
	}
	return r
}

// shared is a server that others use: it tells neither costs nor memory.
func shared() *benchresult.Document {
	r := benchresulttest.Example()
	r.Server.Own = false
	r.NoiseFloor.ServerUS = 0
	for i := range r.Runs {
		for k := range r.Runs[i].Rows {
			r.Runs[i].Rows[k].Open.ServerUSPerCall = nil
		}
	}
	for i := range r.Costs {
		r.Costs[i].Memory = nil
		for k := range r.Costs[i].Mixes {
			m := &r.Costs[i].Mixes[k]
			m.ServerUSPerCall, m.RatioToControl = nil, nil
			for j := range m.Samples {
				m.Samples[j].ServerUSPerCall = nil
			}
		}
	}
	return r
}

// noisy was measured on a machine that did everything else as well.
func noisy() *benchresult.Document {
	r := benchresulttest.Example()
	r.NoiseFloor.ServerUS = 14
	return r
}

func noCosts() *benchresult.Document {
	r := benchresulttest.Example()
	r.Costs = nil
	return r
}

func noScenarios() *benchresult.Document {
	r := benchresulttest.Example()
	r.Runs = nil
	for i := range r.Costs {
		r.Costs[i].Sweep = r.Costs[i].Sweep[:1]
		r.Costs[i].Mixes = r.Costs[i].Mixes[:1]
	}
	return r
}
