package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"ratelab/internal/message"
	"ratelab/internal/result"
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

// writeBenchLines writes r in the Go benchmark format, one line for each measurement, so that benchstat has samples:
// Open is a scenario's own traffic, Closed a mix at the connections of the settings, Sweep the mix half at others, and
// Memory what one key takes. Source: golang.org/design/14313-benchmark-format.
//
// Note: the tool's version, the server and whether the figures can be trusted stand in lines that the format ignores.
// As configuration keys they would put two versions, or two servers, into separate tables of benchstat, and comparing
// those is what the format is for.
func writeBenchLines(w io.Writer, r *result.Benchmark) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s of %s\n", message.Visible(r.Tool.Name), message.Visible(r.Tool.Version),
		message.Visible(describe(&r.Server)))
	for _, line := range warnings(&r.Header) {
		fmt.Fprintf(&out, "# %s\n", message.Visible(line))
	}
	for _, unit := range units {
		fmt.Fprintf(&out, "Unit %s %s\n", unit.name, unit.metadata)
	}
	fmt.Fprintf(&out, "\ngoos: %s\ngoarch: %s\ncpu: %s\ncores: %d\n", message.Visible(r.Machine.OS),
		message.Visible(r.Machine.Architecture), message.Visible(r.Machine.CPU), r.Machine.Cores)
	for i := range r.Runs {
		benchRun(&out, &r.Runs[i])
	}
	if len(r.Costs) > 0 {
		fmt.Fprintf(&out, "\nscenario:\nseed:\nlimit: %s\nconnections: %d\n", r.Settings.CostLimit,
			r.Settings.Connections)
		for _, c := range controlLast(r.Costs, func(c *result.Cost) *result.Identity { return &c.Identity }) {
			benchCost(&out, c)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// benchFigure is one figure of a line; it stands there only if it could be had.
type benchFigure struct {
	value *float64
	unit  string
}

func benchLine(out *bytes.Buffer, name string, iterations int64, figures ...benchFigure) {
	fmt.Fprintf(out, "%s %d", name, max(iterations, 1)) // the format knows no benchmark of no iterations
	for _, f := range figures {
		if f.value != nil {
			fmt.Fprintf(out, " %s %s", strconv.FormatFloat(*f.value, 'f', -1, 64), f.unit)
		}
	}
	out.WriteByte('\n')
}

func benchRun(out *bytes.Buffer, run *result.BenchRun) {
	fmt.Fprintf(out, "\nscenario: %s\nseed: %d\nlimit: %s\n", message.Visible(run.Scenario), run.Seed, run.Limit)
	for _, row := range controlLast(run.Rows, func(l *result.BenchRow) *result.Identity { return &l.Identity }) {
		name := BenchmarkName("Open", "scenario", run.Scenario, "algorithm", row.Algorithm)
		var admitted *float64
		if row.Exact != nil {
			admitted = whole(row.Exact.Admitted)
		}
		for j := range row.Rounds {
			o := &row.Rounds[j]
			benchLine(out, name, o.Accepted+o.Rejected, benchFigure{&o.ResponseP50US, "p50-us"},
				benchFigure{&o.ResponseP99US, "p99-us"},
				benchFigure{&o.ServiceP50US, "service-p50-us"}, benchFigure{&o.LagP99US, "lag-p99-us"},
				benchFigure{o.ServerUSPerCall, "server-us/op"}, benchFigure{admitted, "admitted"},
				benchFigure{row.Work.RedisCallsPerDecision, "redis-calls/op"}, benchFigure{row.Work.BytesPerKey,
					"B/key"})
		}
	}
}

func benchCost(out *bytes.Buffer, c *result.Cost) {
	for i := range c.Mixes {
		m := &c.Mixes[i]
		name := BenchmarkName("Closed", "mix", m.Mix, "algorithm", c.Algorithm)
		for j := range m.Samples {
			s := &m.Samples[j]
			benchLine(out, name, s.Calls, benchFigure{&s.ThroughputPerS, "decisions/s"},
				benchFigure{s.ServerUSPerCall, "server-us/op"},
				benchFigure{&s.ServiceP50US, "service-p50-us"}, benchFigure{&s.ServiceP99US, "service-p99-us"},
				benchFigure{m.AllocationsPerCall, "client-allocs/op"})
		}
	}
	for i := range c.Sweep {
		l := &c.Sweep[i]
		name := BenchmarkName("Sweep", "connections", fmt.Sprint(l.Connections), "algorithm", c.Algorithm)
		benchLine(out, name, l.Service.Count(), benchFigure{&l.ThroughputPerS, "decisions/s"},
			benchFigure{l.ServerUSPerCall, "server-us/op"})
	}
	for _, f := range c.Memory {
		name := BenchmarkName("Memory", "requests", fmt.Sprint(f.Entries), "algorithm", c.Algorithm)
		benchLine(out, name, 1, benchFigure{whole(f.Bytes), "B/key"})
	}
}

// controlLast are the rows, the control after the others: benchstat compares with the first.
func controlLast[T any](rows []T, of func(*T) *result.Identity) []*T {
	var all, last []*T
	for i := range rows {
		if row := &rows[i]; of(row).Algorithm == result.Control {
			last = append(last, row)
		} else {
			all = append(all, row)
		}
	}
	return append(all, last...)
}

func whole(n int64) *float64 {
	f := float64(n)
	return &f
}
