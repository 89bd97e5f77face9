package benchresult

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// units are those of the benchmark lines, with what benchstat must know of them. Times are µs, and p50 and p99 without
// another word are of the response; exact figures repeat to the digit.
var units = []struct{ name, metadata string }{
	{"p50-us", "better=lower"},
	{"p99-us", "better=lower"},
	{"service-p50-us", "better=lower"},
	{"service-p99-us", "better=lower"},
	{"lag-p99-us", "better=lower"},
	{"server-us/op", "better=lower"},
	{"decisions/s", "better=higher"},
	{"admitted", "assume=exact"},
	{"redis-calls/op", "better=lower assume=exact"},
	{"B/key", "better=lower assume=exact"},
	{"client-allocs/op", "better=lower"},
}

// WriteBench writes r in the Go benchmark format, one line for each measurement, so that benchstat has samples: Open is
// a scenario's own traffic, Closed a mix at the connections of the settings, Sweep the mix half at others, and Memory
// what one key takes. Source: golang.org/design/14313-benchmark-format.
//
// Note: the tool's version stands in a line that the format ignores. As a configuration key it would put two versions
// into separate tables of benchstat, and comparing versions is what the format is for.
func WriteBench(w io.Writer, r *Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s\n", message.Visible(r.Tool.Name), message.Visible(r.Tool.Version))
	for _, line := range r.warnings() {
		fmt.Fprintf(&out, "# %s\n", message.Visible(line))
	}
	for _, unit := range units {
		fmt.Fprintf(&out, "Unit %s %s\n", unit.name, unit.metadata)
	}
	fmt.Fprintf(&out, "\ngoos: %s\ngoarch: %s\ncpu: %s\ncores: %d\nserver: %s\nvalid: %t\npartial: %t\n",
		message.Visible(r.Machine.OS), message.Visible(r.Machine.Architecture), message.Visible(r.Machine.CPU),
		r.Machine.Cores,
		message.Visible(r.Server.describe()), r.Validity.Valid, r.Partial)
	for i := range r.Runs {
		benchRun(&out, &r.Runs[i])
	}
	if len(r.Costs) > 0 {
		fmt.Fprintf(&out, "\nscenario:\nseed:\nlimit: %s\nconnections: %d\n", r.Settings.CostLimit,
			r.Settings.Connections)
		for i := range r.Costs {
			benchCost(&out, &r.Costs[i])
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// measured is one figure of a line; it stands there only if it could be had.
type measured struct {
	value *float64
	unit  string
}

func benchLine(out *bytes.Buffer, name string, iterations int64, figures ...measured) {
	fmt.Fprintf(out, "%s %d", name, max(iterations, 1)) // the format knows no benchmark of no iterations
	for _, f := range figures {
		if f.value != nil {
			fmt.Fprintf(out, " %s %s", strconv.FormatFloat(*f.value, 'f', -1, 64), f.unit)
		}
	}
	out.WriteByte('\n')
}

func benchRun(out *bytes.Buffer, run *Play) {
	fmt.Fprintf(out, "\nscenario: %s\nseed: %d\nlimit: %s\n", message.Visible(run.Scenario), run.Seed, run.Limit)
	for i := range run.Rows {
		row := &run.Rows[i]
		name := sheet.BenchmarkName("Open", "scenario", run.Scenario, "algorithm", row.Algorithm)
		var admitted *float64
		if row.Exact != nil {
			admitted = whole(row.Exact.Admitted)
		}
		for j := range row.Rounds {
			o := &row.Rounds[j]
			benchLine(out, name, o.Accepted+o.Rejected, measured{&o.ResponseP50US, "p50-us"},
				measured{&o.ResponseP99US, "p99-us"},
				measured{&o.ServiceP50US, "service-p50-us"}, measured{&o.LagP99US, "lag-p99-us"},
				measured{o.ServerUSPerCall, "server-us/op"}, measured{admitted, "admitted"},
				measured{row.Work.RedisCallsPerDecision, "redis-calls/op"}, measured{row.Work.BytesPerKey, "B/key"})
		}
	}
}

func benchCost(out *bytes.Buffer, c *Cost) {
	for i := range c.Mixes {
		m := &c.Mixes[i]
		name := sheet.BenchmarkName("Closed", "mix", m.Mix, "algorithm", c.Algorithm)
		for j := range m.Samples {
			s := &m.Samples[j]
			benchLine(out, name, s.Calls, measured{&s.ThroughputPerS, "decisions/s"},
				measured{s.ServerUSPerCall, "server-us/op"},
				measured{&s.ServiceP50US, "service-p50-us"}, measured{&s.ServiceP99US, "service-p99-us"},
				measured{m.AllocationsPerCall, "client-allocs/op"})
		}
	}
	for i := range c.Sweep {
		l := &c.Sweep[i]
		name := sheet.BenchmarkName("Sweep", "connections", fmt.Sprint(l.Connections), "algorithm", c.Algorithm)
		benchLine(out, name, l.Service.Count(), measured{&l.ThroughputPerS, "decisions/s"},
			measured{l.ServerUSPerCall, "server-us/op"})
	}
	for _, f := range c.Memory {
		name := sheet.BenchmarkName("Memory", "requests", fmt.Sprint(f.Entries), "algorithm", c.Algorithm)
		benchLine(out, name, 1, measured{whole(f.Bytes), "B/key"})
	}
}

func whole(n int64) *float64 {
	f := float64(n)
	return &f
}
