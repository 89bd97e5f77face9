package benchresult

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// WriteHistogramLog writes the open loop's histograms as an HdrHistogram log, format 1.3 with V2 histograms: one line for
// each interval of each tag scenario/algorithm/outcome/duration, empty ones left out. Values are µs, the times of an
// interval seconds of the scenario since the base time, its maximum ms.
// Source: HdrHistogram's HistogramLogWriter.
//
// Note: hdrhistogram-go's own writer is not used: it cuts the start to whole seconds, and has no way to say that values
// are µs, so that maxima come out in another unit than readers expect.
func WriteHistogramLog(w io.Writer, r *Document) error {
	out := bufio.NewWriter(w)
	seconds := float64(r.Started.UnixMicro()) / 1e6
	fmt.Fprintf(out, "#[%s %s; values are microseconds; tags are scenario/algorithm/outcome/duration]\n", oneLine(r.Tool.Name), oneLine(r.Tool.Version))
	fmt.Fprintf(out, "#[Histogram log format version %s]\n", hdrhistogram.HISTOGRAM_LOG_FORMAT_VERSION)
	fmt.Fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", seconds, r.Started.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
	fmt.Fprintf(out, "#[BaseTime: %.3f (seconds since epoch)]\n", seconds)
	out.WriteString("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	for i := range r.Runs {
		run := &r.Runs[i]
		for j := range run.Rows {
			if err := logRow(out, run, &run.Rows[j]); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// logRow writes a row's intervals, or the whole as one interval where there are none.
func logRow(out io.Writer, run *Play, row *Limiter) error {
	intervals := row.Open.Intervals
	if len(intervals) == 0 {
		intervals = []Interval{{WidthUS: run.PlayedUS, Latency: row.Open.Latency}}
	}
	for v, verdict := range row.Open.Latency.verdicts() {
		for s, of := range verdict.stretches() {
			tag := logTag(run.Scenario, row.Algorithm, verdict.name, of.name)
			for i := range intervals {
				at := &intervals[i]
				if err := logLine(out, tag, at, at.Latency.verdicts()[v].stretches()[s].Histogram); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func logLine(out io.Writer, tag string, at *Interval, h *Histogram) error {
	if h.count() == 0 {
		return nil
	}
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Tag=%s,%.3f,%.3f,%.3f,%s\n", tag, float64(at.StartUS)/1e6, float64(at.WidthUS)/1e6, float64(h.Max())/1e3, encoded)
	return err
}

// logTag joins the parts with slashes. A tag has no blank, no comma and no line break, and a part no slash.
func logTag(parts ...string) string {
	for i, p := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			if r <= ' ' || r == ',' || r == '/' || r == 0x7f {
				return '_'
			}
			return r
		}, p)
	}
	return strings.Join(parts, "/")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
