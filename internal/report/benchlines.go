package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// writeBenchRows writes one table for all that was measured: a header, and for each scenario and limiter a line for
// what was admitted and one for what was rejected.
func writeBenchRows(w io.Writer, d *result.Document) error {
	header := []string{"scenario", "algorithm", "outcome"}
	for _, c := range benchColumns {
		header = append(header, c.name)
	}
	header = append(header, "seed", "server", "cpu", "valid", "partial")
	context := []string{d.Server.String(), d.Machine.CPU, strconv.FormatBool(d.Validity.Valid),
		strconv.FormatBool(d.Partial)}
	return WriteCSV(w, header, func(yield func([]string) bool) {
		for i := range d.Runs {
			run := &d.Runs[i]
			for _, p := range d.Plays(run) {
				for k, of := range []*result.Durations{&p.Outcomes.Accepted, &p.Outcomes.Rejected} {
					line := []string{run.Scenario, p.Algorithm, []string{"admitted", "rejected"}[k]}
					f := playFigures(&p, of)
					for _, c := range benchColumns {
						line = append(line, OptionalFloat(f[c.name]))
					}
					if !yield(slices.Concat(line, []string{strconv.FormatUint(run.Seed, 10)}, context)) {
						return
					}
				}
			}
		}
	})
}

// writeBenchLines writes d in the Go benchmark format, one line for each round, so that benchstat has samples. Source:
// golang.org/design/14313-benchmark-format.
//
// Note: the tool's version, the server and whether the figures can be trusted stand in lines that the format ignores.
// As configuration keys they would put two versions, or two servers, into separate tables of benchstat, and comparing
// those is what the format is for.
func writeBenchLines(w io.Writer, d *result.Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s of %s\n", message.Visible(d.Tool.Name), message.Visible(d.Tool.Version),
		message.Visible(d.Server.String()))
	for _, line := range warnings(d.Measurement) {
		fmt.Fprintf(&out, "# %s\n", message.Visible(line))
	}
	for _, c := range benchColumns {
		if c.unit != "" {
			fmt.Fprintf(&out, "Unit %s %s\n", c.unit, c.metadata)
		}
	}
	fmt.Fprintf(&out, "\ngoos: %s\ngoarch: %s\ncpu: %s\ncores: %d\n", message.Visible(d.Machine.OS),
		message.Visible(d.Machine.Architecture), message.Visible(d.Machine.CPU), d.Machine.Cores)
	for i := range d.Runs {
		run := &d.Runs[i]
		fmt.Fprintf(&out, "\nscenario: %s\nseed: %d\nlimit: %s\n", message.Visible(run.Scenario), run.Seed, run.Limit)
		plays := d.Plays(run)
		slices.SortStableFunc(plays, func(a, b result.Play) int { return controlLast(a.Algorithm, b.Algorithm) })
		for _, p := range plays {
			for k := range p.Rounds {
				benchLine(&out, run.Scenario, &p, &p.Rounds[k])
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// controlLast compares two limiters, of which the control comes last: benchstat compares with the first.
func controlLast(a, b string) int {
	order := map[string]int{result.Control: 1}
	return cmp.Compare(order[a], order[b])
}

// benchLine is one round of a play.
func benchLine(out *bytes.Buffer, scenario string, p *result.Play, r *result.Round) {
	name, f := BenchmarkName("Open", "scenario", scenario, "algorithm", p.Algorithm), roundFigures(p, r)
	fmt.Fprintf(out, "%s %d", name, max(r.Accepted+r.Rejected, 1)) // the format knows no benchmark of no iterations
	for _, c := range benchColumns {
		if v := f[c.name]; v != nil && c.unit != "" {
			fmt.Fprintf(out, " %s %s", Float(*v), c.unit)
		}
	}
	out.WriteByte('\n')
}
