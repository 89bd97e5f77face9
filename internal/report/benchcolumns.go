package report

import (
	"fmt"
	"math"
	"strconv"

	"ratelab/internal/result"
)

// benchColumn is one figure of what bench run measured.
type benchColumn struct {
	name     string // in CSV; a unit of time or of memory is a part of it
	unit     string // in the benchmark format; "": it stands in no line there
	metadata string // what benchstat must know of the unit
	Column          // in a scenario's table; without a name it stands in none
	read     func(float64) string
}

// What benchstat must know of units.
const (
	better   = "better=lower"
	exact    = "assume=exact"
	cheapest = better + " " + exact
)

// benchColumns are the figures, in the order of the CSV and of a scenario's table. Times are µs, and p50 and p99
// without another word are of the response; exact figures repeat to the digit.
var benchColumns = []benchColumn{
	{name: "connections"}, {name: "requests"}, {name: "decisions"}, {name: "accepted"}, {name: "rejected"},
	{name: "dropped"},
	{name: "accepted_per_round", Column: Column{Name: "admitted"}, read: wholly},
	{name: "admitted", unit: "admitted", metadata: exact, Column: Column{Name: "virtual"}, read: wholly},
	{name: "differs_from_virtual", Column: Column{Name: "differs"}, read: wholly},
	{name: "response_p50_us", unit: "p50-us", metadata: better, Column: Column{Group: "response", Name: "p50"},
		read: timed},
	{name: "response_p90_us"},
	{name: "response_p99_us", unit: "p99-us", metadata: better, Column: Column{Group: "response", Name: "p99"},
		read: timed},
	{name: "response_p99_9_us"}, {name: "response_max_us"},
	{name: "service_p50_us", unit: "service-p50-us", metadata: better}, {name: "service_p90_us"},
	{name: "service_p99_us", unit: "service-p99-us", metadata: better}, {name: "service_p99_9_us"},
	{name: "service_max_us"},
	{name: "lag_p99_us", unit: "lag-p99-us", metadata: better, Column: Column{Group: "lag", Name: "p99", Leaves: 1},
		read: timed},
	{name: "wait_p99_us"},
	{name: "server_us_per_decision", unit: "server-us/op", metadata: better,
		Column: Column{Group: "server", Name: "µs"}, read: Significant},
	{name: "ratio_to_control", read: Significant},
	{name: "decisions_per_s", unit: "decisions/s", metadata: "better=higher", read: Significant},
	{name: "commands", unit: "redis-calls/op", metadata: cheapest},
	{name: "bytes_per_key", unit: "B/key", metadata: cheapest, read: wholly},
	{name: "replicated_bytes_per_decision"},
	{name: "client_allocations_per_call", unit: "client-allocs/op", metadata: better, read: counted},
	{name: "x_limit"},
}

// wholly is a number without a fraction.
func wholly(f float64) string { return Integer(int64(f)) }

// timed is a time in µs. The clock and the histograms know no parts of a microsecond.
func timed(us float64) string {
	if us < 1000 {
		return wholly(us)
	}
	return Significant(us)
}

// counted is an average of what can be counted: 11 rather than 11.0.
func counted(f float64) string { return strconv.FormatFloat(f, 'g', 3, 64) }

// The parts of what was measured: a scenario's traffic by outcome, a mix, a number of connections or of requests.
const (
	partOpen   = "open"
	partClosed = "closed"
	partSweep  = "sweep"
	partMemory = "memory"
)

// measurement is one thing that was measured.
type measurement struct {
	part, algorithm, outcome string
	at                       string // in which of its part: a mix, connections, or requests
	calls                    int64  // of which the figures are
	figures                  figures
}

// figures are by the names of benchColumns; nil is one that could not be had.
type figures map[string]*float64

// text is a figure in a table, or the mark of none.
func (f figures) text(c *benchColumn) string {
	if v := f[c.name]; v != nil {
		return c.read(*v)
	}
	return Absent
}

// times adds the percentiles of a histogram.
func (f figures) times(of string, h *result.Histogram) {
	if h.Count() == 0 {
		return
	}
	for name, p := range map[string]float64{"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9, "max": 100} {
		f[of+"_"+name+"_us"] = new(float64(h.ValueAtPercentile(p)))
	}
}

// playFigures are those of all rounds of a play, and of these durations.
func playFigures(p *result.Play, d *result.Durations) figures {
	f := figures{
		"accepted": new(float64(p.Accepted)), "rejected": new(float64(p.Rejected)), "dropped": new(float64(p.Dropped)),
		"admitted": new(float64(p.Row.Admitted)), "x_limit": &p.Row.XLimit,
		"commands": p.Row.Commands, "bytes_per_key": p.Row.BytesPerKey,
		"server_us_per_decision": p.ServerUSPerCall, "decisions_per_s": &p.AchievedPerS,
		"replicated_bytes_per_decision": p.Work.ReplicatedPerDecision,
		"client_allocations_per_call":   p.Work.AllocationsPerCall,
	}
	var accepted []float64
	for _, r := range p.Rounds {
		accepted = append(accepted, float64(r.Accepted))
	}
	if accepted != nil {
		f["accepted_per_round"] = new(math.Round(result.Median(accepted)))
	}
	if d := p.Differences(); d != nil {
		f["differs_from_virtual"] = new(float64(d.Most))
	}
	f.times("response", d.Response)
	f.times("service", d.Service)
	f.times("lag", d.Lag)
	f.times("wait", d.Wait)
	return f
}

// outcomes are what was accepted and what was rejected in a play.
func outcomes(p *result.Play, connections int) (all []measurement) {
	for _, o := range []struct {
		name  string
		calls int64
		of    *result.Durations
	}{{result.MixAccepted, p.Accepted, &p.Outcomes.Accepted}, {result.MixRejected, p.Rejected, &p.Outcomes.Rejected}} {
		f := playFigures(p, o.of)
		f["connections"], f["decisions"] = new(float64(connections)), new(float64(o.calls))
		all = append(all, measurement{partOpen, p.Algorithm, o.name, "", o.calls, f})
	}
	return all
}

// playRounds are the samples of a play.
func playRounds(p *result.Play) (all []measurement) {
	for i := range p.Rounds {
		r := &p.Rounds[i]
		all = append(all, measurement{partOpen, p.Algorithm, "", "", r.Accepted + r.Rejected, figures{
			"response_p50_us": &r.ResponseP50US, "response_p99_us": &r.ResponseP99US,
			"service_p50_us": &r.ServiceP50US, "lag_p99_us": &r.LagP99US,
			"server_us_per_decision": r.ServerUSPerCall, "admitted": new(float64(p.Row.Admitted)),
			"commands": p.Row.Commands, "bytes_per_key": p.Row.BytesPerKey,
		}})
	}
	return all
}

// costs are what was measured of a limiter whatever the scenario; samples has the rounds of the mixes in their place.
func costs(c *result.Cost, connections int) (all, samples []measurement) {
	for i := range c.Mixes {
		m := &c.Mixes[i]
		f := figures{
			"connections": new(float64(connections)), "decisions": new(float64(m.Accepted + m.Rejected)),
			"accepted": new(float64(m.Accepted)), "rejected": new(float64(m.Rejected)),
			"server_us_per_decision": m.ServerUSPerCall, "ratio_to_control": m.RatioToControl,
			"decisions_per_s": &m.ThroughputPerS, "client_allocations_per_call": m.AllocationsPerCall,
		}
		f.times("service", m.Service)
		all = append(all, measurement{partClosed, c.Algorithm, m.Mix, m.Mix, m.Accepted + m.Rejected, f})
		for k := range m.Samples {
			s := &m.Samples[k]
			samples = append(samples, measurement{partClosed, c.Algorithm, m.Mix, m.Mix, s.Calls, figures{
				"service_p50_us": &s.ServiceP50US, "service_p99_us": &s.ServiceP99US,
				"server_us_per_decision": s.ServerUSPerCall, "decisions_per_s": &s.ThroughputPerS,
				"client_allocations_per_call": m.AllocationsPerCall,
			}})
		}
	}
	var rest []measurement
	for i := range c.Sweep {
		l := &c.Sweep[i]
		n := l.Service.Count()
		f := figures{"connections": new(float64(l.Connections)), "decisions": new(float64(n)),
			"server_us_per_decision": l.ServerUSPerCall, "decisions_per_s": &l.ThroughputPerS}
		f.times("service", l.Service)
		rest = append(rest, measurement{partSweep, c.Algorithm, result.MixHalf, fmt.Sprint(l.Connections), n, f})
	}
	for _, m := range c.Memory {
		rest = append(rest, measurement{partMemory, c.Algorithm, "", Integer(m.Entries), 1,
			figures{"requests": new(float64(m.Entries)), "bytes_per_key": new(float64(m.Bytes))}})
	}
	return append(all, rest...), append(samples, rest...)
}
