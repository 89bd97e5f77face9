package benchchart

import (
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// small is a result whose figures can be added up by hand: the control and two algorithms, ten requests each.
func small() *benchresult.Document {
	r := &benchresult.Document{Server: benchresult.Server{Own: true,
		Server: result.Server{Kind: "process", Name: "redis-server", Version: "7.0.15", Transport: "unix"}}}
	r.Tool = result.Tool{Name: "bench", Version: "v1.0.0"}
	r.Started = time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	r.Machine = benchresult.Machine{CPU: "Example CPU", Cores: 2}
	r.Validity.Valid = true
	r.NoiseFloor = benchresult.NoiseFloor{Pairs: 3, ServerUS: 1.05, ClientP50US: 1.1}
	r.Settings = benchresult.Settings{Rounds: 2, Connections: 4,
		CostLimit: result.Limit{Requests: 100, WindowUS: 3_600_000_000},
		FillLimit: result.Limit{Requests: 1000, WindowUS: 60_000_000}}
	run := benchresult.Play{Scenario: "tiny", Question: "?", Seed: 7,
		Limit: result.Limit{Requests: 4, WindowUS: 1_000_000, Burst: 4}, FromUS: 40_000_000,
		PlayedUS: 2_000_000}
	for i, label := range []string{"none", "gcra", "sliding-window-log"} {
		run.Rows = append(run.Rows, smallRow(label, i))
		r.Costs = append(r.Costs, smallCost(label, i))
	}
	r.Runs = []benchresult.Play{run}
	return r
}

func smallRow(label string, i int) benchresult.Limiter {
	accepted, rejected := durations(), durations()
	row := benchresult.Limiter{Exact: &measure.Result{PeakWindowAdmitted: int64(8 - 2*i), Overshoot: 2 - float64(i)/2}}
	row.Algorithm = label
	for n := range int64(10) {
		into := &accepted
		if i > 0 && n >= 6 {
			into = &rejected
		}
		_ = into.Response.RecordValue((n + 1) * 100 * int64(i+1))
		_ = into.Service.RecordValue((n + 1) * 50)
	}
	row.Open.Latency = benchresult.Outcomes{Accepted: accepted, Rejected: rejected}
	row.Open.ServerUSPerCall = pointer(4 + 3*float64(i))
	row.Open.Intervals = []benchresult.Interval{
		{StartUS: 0, WidthUS: 1_000_000, Accepted: accepted.Response, Rejected: rejected.Response},
		{StartUS: 1_000_000, WidthUS: 1_000_000},
	}
	row.Rounds = make([]benchresult.OpenRound, 2)
	row.Course = &benchresult.Course{BucketUS: 500_000, Offered: []int64{8, 2, 0, 0},
		Admitted: []int64{8 - 2*int64(min(i, 1)), 2 - 2*int64(min(i, 1)), 0, 0},
		Rolling:  []int64{4, 8 - 2*int64(i), 4, 0}}
	return row
}

func smallCost(label string, i int) benchresult.Cost {
	us := 4 + 2*float64(i)
	cost := benchresult.Cost{Sweep: []benchresult.Level{{Connections: 1, ThroughputPerS: 9000 / us},
		{Connections: 4, ThroughputPerS: 24_000 / us}}}
	cost.Algorithm = label
	for _, mix := range benchresult.Mixes() {
		cost.Mixes = append(cost.Mixes,
			benchresult.Mix{Mix: mix, ServerUSPerCall: pointer(us), RatioToControl: pointer(us / 4),
				Samples: []benchresult.Sample{{ServerUSPerCall: pointer(us - 0.5)},
					{ServerUSPerCall: pointer(us + 0.25)}}})
	}
	if i > 0 {
		cost.Memory = []benchresult.Fill{{Entries: 1, Bytes: 80, Keys: 1},
			{Entries: 1000, Bytes: 80 + 20_000*int64(i-1), Keys: 1}}
	}
	return cost
}

func pointer(v float64) *float64 { return &v }
