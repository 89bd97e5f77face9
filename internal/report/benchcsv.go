package report

import (
	"io"
	"strconv"

	"ratelab/internal/result"
)

// benchColumns are one table for all that was measured: part tells what a line is of, open (a scenario's traffic, one
// line for each outcome), closed (a mix), sweep (a number of connections) or memory (a number of requests). Cells that
// do not belong to a part, or could not be measured, are empty.
var benchColumns = []string{
	"part", "scenario", "algorithm", "outcome", "connections", "requests", "decisions", "accepted", "rejected",
	"dropped",
	"response_p50_us", "response_p90_us", "response_p99_us", "response_p99_9_us", "response_max_us",
	"service_p50_us", "service_p90_us", "service_p99_us", "service_p99_9_us", "service_max_us", "lag_p99_us",
	"wait_p99_us",
	"server_us_per_decision", "ratio_to_control", "decisions_per_s", "redis_calls_per_decision", "bytes_per_key",
	"replicated_bytes_per_decision",
	"client_allocations_per_call", "admitted", "overshoot", "seed", "server", "cpu", "valid", "partial",
}

// writeBenchRows writes one header and a line for each thing measured, in the order of benchColumns.
func writeBenchRows(w io.Writer, r *result.Benchmark) error {
	return WriteCSV(w, benchColumns, func(yield func([]string) bool) {
		for _, cells := range benchRows(r) {
			cells["server"], cells["cpu"] = describe(&r.Server), r.Machine.CPU
			cells["valid"], cells["partial"] = strconv.FormatBool(r.Validity.Valid), strconv.FormatBool(r.Partial)
			line := make([]string, len(benchColumns))
			for i, name := range benchColumns {
				line[i] = cells[name]
			}
			if !yield(line) {
				return
			}
		}
	})
}

// benchCells are a line's, by the column's name.
type benchCells map[string]string

func benchRows(r *result.Benchmark) []benchCells {
	var lines []benchCells
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			lines = append(lines, openRows(&r.Runs[i].Rows[j], &r.Runs[i], r.Settings.Connections)...)
		}
	}
	for i := range r.Costs {
		lines = append(lines, costRows(&r.Costs[i], r.Settings.Connections)...)
	}
	return lines
}

func openRows(r *result.BenchRow, run *result.BenchRun, connections int) []benchCells {
	var lines []benchCells
	decisions := map[string]int64{result.MixAccepted: r.Open.Accepted, result.MixRejected: r.Open.Rejected}
	for _, v := range outcomes(&r.Open.Latency) {
		line := benchCells{
			"part": "open", "scenario": run.Scenario, "algorithm": r.Algorithm, "outcome": v.name,
			"connections": strconv.Itoa(connections),
			"decisions":   Integer(decisions[v.name]), "accepted": Integer(r.Open.Accepted),
			"rejected":                      Integer(r.Open.Rejected),
			"dropped":                       Integer(r.Open.Dropped),
			"server_us_per_decision":        OptionalFloat(r.Open.ServerUSPerCall),
			"decisions_per_s":               Float(r.Open.AchievedPerS),
			"redis_calls_per_decision":      OptionalFloat(r.Work.RedisCallsPerDecision),
			"bytes_per_key":                 OptionalFloat(r.Work.BytesPerKey),
			"replicated_bytes_per_decision": OptionalFloat(r.Work.ReplicatedPerDecision),
			"client_allocations_per_call":   OptionalFloat(r.Work.AllocationsPerCall),
			"seed":                          strconv.FormatUint(run.Seed, 10),
		}
		if r.Exact != nil {
			line["admitted"] = Integer(r.Exact.Admitted)
			line["overshoot"] = Float(r.Exact.Overshoot)
		}
		line.percentiles("response", v.Response)
		line.percentiles("service", v.Service)
		line.percentiles("lag", v.Lag)
		line.percentiles("wait", v.Wait)
		lines = append(lines, line)
	}
	return lines
}

func costRows(c *result.Cost, connections int) []benchCells {
	var lines []benchCells
	for i := range c.Mixes {
		m := &c.Mixes[i]
		line := benchCells{
			"part": "closed", "algorithm": c.Algorithm, "outcome": m.Mix, "connections": strconv.Itoa(connections),
			"decisions": Integer(m.Accepted + m.Rejected), "accepted": Integer(m.Accepted),
			"rejected":                    Integer(m.Rejected),
			"server_us_per_decision":      OptionalFloat(m.ServerUSPerCall),
			"ratio_to_control":            OptionalFloat(m.RatioToControl),
			"decisions_per_s":             Float(m.ThroughputPerS),
			"client_allocations_per_call": OptionalFloat(m.AllocationsPerCall),
		}
		line.percentiles("service", m.Service)
		lines = append(lines, line)
	}
	for i := range c.Sweep {
		l := &c.Sweep[i]
		line := benchCells{
			"part": "sweep", "algorithm": c.Algorithm, "outcome": result.MixHalf,
			"connections":            strconv.Itoa(l.Connections),
			"decisions":              Integer(l.Service.Count()),
			"server_us_per_decision": OptionalFloat(l.ServerUSPerCall),
			"decisions_per_s":        Float(l.ThroughputPerS),
		}
		line.percentiles("service", l.Service)
		lines = append(lines, line)
	}
	for _, f := range c.Memory {
		lines = append(lines, benchCells{"part": "memory", "algorithm": c.Algorithm, "requests": Integer(f.Entries),
			"bytes_per_key": Integer(f.Bytes)})
	}
	return lines
}

// percentiles fills those of h that the columns have.
func (c benchCells) percentiles(of string, h *result.Histogram) {
	if h.Count() == 0 {
		return
	}
	for name, p := range map[string]float64{"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9, "max": 100} {
		c[of+"_"+name+"_us"] = Integer(h.ValueAtPercentile(p))
	}
}

// outcomes are what was accepted and what was rejected, by name.
func outcomes(o *result.Outcomes) []outcome {
	return []outcome{{result.MixAccepted, &o.Accepted}, {result.MixRejected, &o.Rejected}}
}

type outcome struct {
	name string
	*result.Durations
}
