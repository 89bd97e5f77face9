package report

import (
	"io"
	"math"
	"slices"
	"strconv"

	"ratelab/internal/result"
)

// benchColumn is one figure of a measurement by bench run.
type benchColumn struct {
	name     string // the name in CSV, with the unit if that is one of time or memory
	unit     string // the unit in the benchmark format; "": not part of that format
	metadata string // the unit's metadata for benchstat
	table    string // the heading in a scenario's table; "": not part of the table
	read     func(float64) string
}

// Columns that are handled specially in tables, or may be absent there.
const (
	serverUS = "server_us_per_decision"
	maxPerS  = "max_per_s"
)

// The metadata of units for benchstat.
const (
	better   = "better=lower"
	exact    = "assume=exact"
	cheapest = better + " " + exact
)

// benchColumns are the figures, in the order of the CSV and of a scenario's table. Times are in µs. Figures marked
// exact are the same in every measurement.
var benchColumns = []benchColumn{
	{name: "requests"},
	{name: "admitted_per_round", table: "admitted", read: wholly},
	{name: "admitted", unit: "admitted", metadata: exact, table: "virtual", read: wholly},
	{name: "differs_from_virtual", table: "differs", read: wholly},
	{name: "response_p50_us", unit: "p50-us", metadata: better, table: "p50 µs", read: timed},
	{name: "response_p90_us"},
	{name: "response_p99_us", unit: "p99-us", metadata: better, table: "p99 µs", read: timed},
	{name: "response_p99_9_us"}, {name: "response_max_us"},
	{name: "service_p50_us", unit: "service-p50-us", metadata: better}, {name: "service_p99_us"},
	{name: "lag_p99_us", unit: "lag-p99-us", metadata: better}, {name: "wait_p99_us"},
	{name: serverUS, unit: "server-us/op", metadata: better, table: "server µs", read: Significant},
	{name: maxPerS, unit: "max/s", metadata: "better=higher", table: "max/s", read: wholly},
	{name: "commands", unit: "redis-calls/op", metadata: cheapest},
	{name: "bytes_per_key", unit: "B/key", metadata: cheapest},
}

// wholly formats f without its fraction.
func wholly(f float64) string { return Integer(int64(f)) }

// timed formats a time in µs. Below 1 ms it has no fraction, because the clock and the histograms count whole µs.
func timed(us float64) string {
	if us < 1000 {
		return wholly(us)
	}
	return Significant(us)
}

// benchFigures maps the names of benchColumns to figures. A figure that is not known is absent or nil.
type benchFigures map[string]*float64

// text returns the figure with that name as text, or none if it is absent.
func (f benchFigures) text(name string, read func(float64) string, none string) string {
	if v := f[name]; v != nil {
		return read(*v)
	}
	return none
}

// leastSamples is the fewest durations for which percentiles are shown. With fewer, the 99th percentile would be one of
// the last few durations.
const leastSamples = 100

// times adds percentiles of a histogram.
func (f benchFigures) times(of string, h *result.Histogram) {
	if h.Count() < leastSamples {
		return
	}
	for name, p := range map[string]float64{"p50": 50, "p90": 90, "p99": 99, "p99_9": 99.9, "max": 100} {
		f[of+"_"+name+"_us"] = new(float64(h.ValueAtPercentile(p)))
	}
}

// playFigures returns the figures over all rounds of a play, with the times in d.
func playFigures(p *result.Play, d *result.Durations) benchFigures {
	f := benchFigures{
		"requests": new(float64(d.Response.Count())), "admitted": new(float64(p.Row.Admitted)),
		"commands": p.Row.Commands, "bytes_per_key": p.Row.BytesPerKey,
		serverUS: p.ServerUSPerCall, maxPerS: p.MaxPerS,
	}
	if len(p.Rounds) > 0 {
		admitted := each(p.Rounds, func(r result.Round) float64 { return float64(r.Admitted) })
		f["admitted_per_round"] = new(math.Round(result.Median(admitted)))
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

// roundFigures returns the figures of one round of a play, as a sample for benchstat.
func roundFigures(p *result.Play, r *result.Round) benchFigures {
	f := benchFigures{serverUS: r.ServerUSPerCall, maxPerS: p.MaxPerS, "admitted": new(float64(p.Row.Admitted)),
		"commands": p.Row.Commands, "bytes_per_key": p.Row.BytesPerKey}
	if r.Admitted+r.Rejected >= leastSamples {
		f["response_p50_us"], f["response_p99_us"] = &r.ResponseP50US, &r.ResponseP99US
		f["service_p50_us"], f["lag_p99_us"] = &r.ServiceP50US, &r.LagP99US
	}
	return f
}

// writeBenchRows writes one table of all measurements: a header, and for each scenario and limiter a line for the
// admitted and a line for the rejected requests.
func writeBenchRows(w io.Writer, d *result.Document) error {
	names := each(benchColumns, func(c benchColumn) string { return c.name })
	lines := [][]string{slices.Concat([]string{"scenario", "algorithm", "outcome"}, names,
		[]string{"seed", "server", "cpu", "valid", "partial"})}
	outcomes := []string{"admitted", "rejected"}
	context := []string{d.Server.String(), d.Machine.CPU, strconv.FormatBool(d.Validity.Valid),
		strconv.FormatBool(d.Partial)}
	for i := range d.Runs {
		run := &d.Runs[i]
		for _, p := range d.Plays(run) {
			for k, of := range []*result.Durations{&p.Outcomes.Admitted, &p.Outcomes.Rejected} {
				f := playFigures(&p, of)
				lines = append(lines, slices.Concat([]string{run.Scenario, p.Algorithm, outcomes[k]},
					each(names, func(name string) string { return f.text(name, Float, "") }),
					[]string{strconv.FormatUint(run.Seed, 10)}, context))
			}
		}
	}
	return WriteCSV(w, lines)
}
