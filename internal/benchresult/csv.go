package benchresult

import (
	"io"
	"strconv"

	"ratelab/internal/sheet"
)

// csvColumns are one table for all that was measured: part tells what a line is of, open (a scenario's traffic, one
// line for each outcome), closed (a mix), sweep (a number of connections) or memory (a number of requests). Cells that
// do not belong to a part, or could not be measured, are empty.
var csvColumns = []string{
	"part", "scenario", "algorithm", "outcome", "connections", "requests", "decisions", "accepted", "rejected",
	"dropped",
	"response_p50_us", "response_p90_us", "response_p99_us", "response_p99_9_us", "response_max_us",
	"service_p50_us", "service_p90_us", "service_p99_us", "service_p99_9_us", "service_max_us", "lag_p99_us",
	"wait_p99_us",
	"server_us_per_decision", "ratio_to_control", "decisions_per_s", "redis_calls_per_decision", "bytes_per_key",
	"replicated_bytes_per_decision",
	"client_allocations_per_call", "admitted", "overshoot", "seed", "server", "cpu", "valid", "partial",
}

// WriteCSV writes one header and a line for each thing measured, in the order of csvColumns.
func WriteCSV(w io.Writer, r *Document) error {
	return sheet.WriteCSV(w, csvColumns, func(yield func([]string) bool) {
		for _, cells := range r.csvLines() {
			cells["server"], cells["cpu"] = r.Server.describe(), r.Machine.CPU
			cells["valid"], cells["partial"] = strconv.FormatBool(r.Validity.Valid), strconv.FormatBool(r.Partial)
			line := make([]string, len(csvColumns))
			for i, name := range csvColumns {
				line[i] = cells[name]
			}
			if !yield(line) {
				return
			}
		}
	})
}

// cells are a line's, by the column's name.
type cells map[string]string

func (r *Document) csvLines() []cells {
	var lines []cells
	for i := range r.Runs {
		for j := range r.Runs[i].Rows {
			lines = append(lines, r.Runs[i].Rows[j].csvLines(&r.Runs[i], r.Settings.Connections)...)
		}
	}
	for i := range r.Costs {
		lines = append(lines, r.Costs[i].csvLines(r.Settings.Connections)...)
	}
	return lines
}

func (r *Limiter) csvLines(run *Play, connections int) []cells {
	var lines []cells
	decisions := map[string]int64{MixAccepted: r.Open.Accepted, MixRejected: r.Open.Rejected}
	for _, v := range r.Open.Latency.verdicts() {
		line := cells{
			"part": "open", "scenario": run.Scenario, "algorithm": r.Algorithm, "outcome": v.name,
			"connections": strconv.Itoa(connections),
			"decisions":   sheet.Integer(decisions[v.name]), "accepted": sheet.Integer(r.Open.Accepted),
			"rejected":                      sheet.Integer(r.Open.Rejected),
			"dropped":                       sheet.Integer(r.Open.Dropped),
			"server_us_per_decision":        sheet.OptionalFloat(r.Open.ServerUSPerCall),
			"decisions_per_s":               sheet.OptionalFloat(&r.Open.AchievedPerS),
			"redis_calls_per_decision":      sheet.OptionalFloat(r.Work.RedisCallsPerDecision),
			"bytes_per_key":                 sheet.OptionalFloat(r.Work.BytesPerKey),
			"replicated_bytes_per_decision": sheet.OptionalFloat(r.Work.ReplicatedPerDecision),
			"client_allocations_per_call":   sheet.OptionalFloat(r.Work.AllocationsPerCall),
			"seed":                          strconv.FormatUint(run.Seed, 10),
		}
		if r.Exact != nil {
			line["admitted"] = sheet.Integer(r.Exact.Admitted)
			line["overshoot"] = sheet.OptionalFloat(&r.Exact.Overshoot)
		}
		line.percentiles("response", v.Response)
		line.percentiles("service", v.Service)
		line.percentiles("lag", v.Lag)
		line.percentiles("wait", v.Wait)
		lines = append(lines, line)
	}
	return lines
}

func (c *Cost) csvLines(connections int) []cells {
	var lines []cells
	for i := range c.Mixes {
		m := &c.Mixes[i]
		line := cells{
			"part": "closed", "algorithm": c.Algorithm, "outcome": m.Mix, "connections": strconv.Itoa(connections),
			"decisions": sheet.Integer(m.Accepted + m.Rejected), "accepted": sheet.Integer(m.Accepted),
			"rejected":                    sheet.Integer(m.Rejected),
			"server_us_per_decision":      sheet.OptionalFloat(m.ServerUSPerCall),
			"ratio_to_control":            sheet.OptionalFloat(m.RatioToControl),
			"decisions_per_s":             sheet.OptionalFloat(&m.ThroughputPerS),
			"client_allocations_per_call": sheet.OptionalFloat(m.AllocationsPerCall),
		}
		line.percentiles("service", m.Service)
		lines = append(lines, line)
	}
	for i := range c.Sweep {
		l := &c.Sweep[i]
		line := cells{
			"part": "sweep", "algorithm": c.Algorithm, "outcome": MixHalf, "connections": strconv.Itoa(l.Connections),
			"decisions":              sheet.Integer(l.Service.Count()),
			"server_us_per_decision": sheet.OptionalFloat(l.ServerUSPerCall),
			"decisions_per_s":        sheet.OptionalFloat(&l.ThroughputPerS),
		}
		line.percentiles("service", l.Service)
		lines = append(lines, line)
	}
	for _, f := range c.Memory {
		lines = append(lines, cells{"part": "memory", "algorithm": c.Algorithm, "requests": sheet.Integer(f.Entries),
			"bytes_per_key": sheet.Integer(f.Bytes)})
	}
	return lines
}

// percentiles fills those of h that the columns have.
func (c cells) percentiles(of string, h *Histogram) {
	if h.Count() == 0 {
		return
	}
	for name, p := range map[string]float64{"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9, "max": 100} {
		c[of+"_"+name+"_us"] = sheet.Integer(h.ValueAtPercentile(p))
	}
}
