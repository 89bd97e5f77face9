package report

import (
	"io"
	"strconv"
	"strings"

	"ratelab/internal/limit"
)

// decisionsHeader names the columns of a decisions file.
const decisionsHeader = "scenario,algorithm,t_us,key,cost,allowed,remaining,retry_after_us\n"

// flushAt is the number of bytes kept before they are written.
const flushAt = 64 << 10

// DecisionWriter writes one CSV line for each decision (RFC 4180, lines end in \n): t_us counts from the scenario's
// start, allowed is 1, 0, -1 for not configured or -2 for unavailable, retry_after_us is -1 where waiting will never
// help. A key that a spreadsheet would run as a formula has an apostrophe before it, as has one that begins with an
// apostrophe: take it away, and what is left is the key as it came, over which decisions_digest is made. The writer
// allocates nothing per row. Not safe for concurrent use.
type DecisionWriter struct {
	w                   io.Writer
	buf                 []byte
	scenario, algorithm string
	prefix              []byte // both of them, quoted: they change once in a million rows
	err                 error
}

// NewDecisionWriter returns a writer that has the header in its buffer. Flush it at the end.
func NewDecisionWriter(w io.Writer) *DecisionWriter {
	d := &DecisionWriter{w: w, buf: make([]byte, 0, flushAt+4<<10)}
	d.buf = append(d.buf, decisionsHeader...)
	d.setPrefix("", "")
	return d
}

// Write adds one row. The first error of the underlying writer is kept, and returned by every later call.
func (d *DecisionWriter) Write(scenario, algorithm string, r limit.Request, decision limit.Decision) error {
	if scenario != d.scenario || algorithm != d.algorithm {
		d.setPrefix(scenario, algorithm)
	}
	b := append(d.buf, d.prefix...)
	b = append(strconv.AppendInt(b, r.AtUS, 10), ',')
	b = append(appendCSV(b, r.Key), ',')
	b = append(strconv.AppendInt(b, r.Cost, 10), ',')
	b = append(strconv.AppendInt(b, int64(decision.Verdict), 10), ',')
	b = append(strconv.AppendInt(b, decision.Remaining, 10), ',')
	b = append(strconv.AppendInt(b, decision.RetryAfterUS, 10), '\n')
	d.buf = b
	if len(b) >= flushAt {
		return d.Flush()
	}
	return d.err
}

// Flush hands everything to the underlying writer.
func (d *DecisionWriter) Flush() error {
	if d.err == nil && len(d.buf) > 0 {
		_, d.err = d.w.Write(d.buf)
	}
	d.buf = d.buf[:0]
	return d.err
}

func (d *DecisionWriter) setPrefix(scenario, algorithm string) {
	d.scenario, d.algorithm = scenario, algorithm
	d.prefix = append(appendCSV(d.prefix[:0], scenario), ',')
	d.prefix = append(appendCSV(d.prefix, algorithm), ',')
}

// appendCSV defuses s, and quotes it where it holds a comma, a quote or a line's end.
func appendCSV(b []byte, s string) []byte {
	s = Defuse(s)
	if !strings.ContainsAny(s, ",\"\r\n") {
		return append(b, s...)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
