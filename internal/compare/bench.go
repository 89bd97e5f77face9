package compare

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"ratelab/internal/benchresult"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// The sides, as WriteBench takes them.
const (
	SideBase = "base"
	SideHead = "head"
)

// WriteBench writes one side's samples in the Go benchmark format, one line for each measurement and one for each set
// of decisions: benchstat compares the files of the two sides. With side "" both are written, one after the other,
// under the configuration key side: benchstat -col side compares those. Each name is the same on both sides, also
// where scripts of other names were compared.
// Source: golang.org/design/14313-benchmark-format.
func WriteBench(w io.Writer, r *Report, side string) error {
	var out bytes.Buffer
	for _, unit := range []string{"server-us/op", "p50-us", "p99-us"} {
		fmt.Fprintf(&out, "Unit %s better=lower\n", unit)
	}
	for _, unit := range []string{"admitted", "redis-calls/op", "B/key"} {
		fmt.Fprintf(&out, "Unit %s assume=exact\n", unit)
	}
	switch side {
	case SideBase, SideHead:
		r.benchSide(&out, side)
	case "":
		for _, s := range []string{SideBase, SideHead} {
			fmt.Fprintf(&out, "\nside: %s\n", s)
			r.benchSide(&out, s)
		}
	default:
		return fmt.Errorf("side %s: want one of %s, %s", message.Quote(side), SideBase, SideHead)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (r *Report) benchSide(out *bytes.Buffer, side string) {
	for i := range r.paired.Rows {
		benchRow(out, &r.paired.Rows[i], side == SideHead)
	}
}

// benchRow is one side of a pair of sides: the second run's measurements follow the first's.
func benchRow(out *bytes.Buffer, row *benchresult.PairedRow, head bool) {
	side := &row.Base
	if head {
		side = &row.Head
	}
	for i := range side.Exact {
		name := sheet.BenchmarkName("Decisions", "scenario", side.Exact[i].Scenario, "algorithm", row.Name)
		benchLine(out, name, 1, figure{"admitted", number(float64(side.Exact[i].Admitted))})
	}
	benchLine(out, sheet.BenchmarkName("Work", "algorithm", row.Name), 1,
		figure{"redis-calls/op", optional(side.Work.RedisCallsPerDecision)}, figure{"B/key",
			optional(side.Work.BytesPerKey)})
	var samples []benchresult.Sample
	for _, p := range append(append([]benchresult.Pair{}, row.Pairs...), row.Confirm...) {
		if head {
			samples = append(samples, p.Head)
		} else {
			samples = append(samples, p.Base)
		}
	}
	benchSamples(out, sheet.BenchmarkName("Cost", "algorithm", row.Name), samples)
}

func benchSamples(out *bytes.Buffer, name string, samples []benchresult.Sample) {
	for i := range samples {
		s := &samples[i]
		benchLine(out, name, s.Calls, figure{"server-us/op", optional(s.ServerUSPerCall)},
			figure{"p50-us", number(s.ServiceP50US)}, figure{"p99-us", number(s.ServiceP99US)})
	}
}

// figure is a value and its unit.
type figure struct {
	unit  string
	value Value
}

// benchLine leaves out what was not measured, and the line where nothing was: the format knows no result without any.
func benchLine(out *bytes.Buffer, name string, iterations int64, figures ...figure) {
	text := ""
	for _, f := range figures {
		if f.value.Number != nil {
			text += " " + strconv.FormatFloat(*f.value.Number, 'f', -1, 64) + " " + f.unit
		}
	}
	if text != "" {
		fmt.Fprintf(out, "%s %d%s\n", name, max(1, iterations), text)
	}
}
