package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// This file writes documents in the Go benchmark format, which benchstat compares. Source:
// golang.org/design/14313-benchmark-format.
//
// Note: the tool's version is in a line that the format ignores, as are bench's server and the validity of its figures.
// As configuration keys they would put two versions, or two servers, into separate tables of benchstat. But comparing
// these is the purpose of the format.

// writeLines writes one result with one iteration for each scenario and algorithm. The units are the names of the
// measures in JSON. All are declared exact, because virtual time gives the same figures in every run.
func writeLines(w io.Writer, doc *result.Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s\n", oneWord(doc.Tool.Name), oneWord(doc.Tool.Version))
	for _, unit := range counts() {
		fmt.Fprintf(&out, "Unit %s assume=exact\n", unit.Name)
	}
	for i := range doc.Runs {
		run := &doc.Runs[i]
		fmt.Fprintf(&out, "\nscenario: %s\nlimit: %s\nseed: %d\nclock: %s\nserver: %s\npartial: %t\n",
			message.Visible(run.Scenario),
			run.Limit.String(), run.Seed, run.Clock, message.Visible(run.Server.String()), run.Partial)
		for _, row := range withReference(run, "exact-reference") {
			out.WriteString(benchmarkName("Simulate", run.Scenario, row.Algorithm) + " 1")
			for _, m := range counts() {
				if v := m.Value(&row.Figures); v.Known {
					fmt.Fprintf(&out, " %s %s", Float(v.Number), m.Name)
				}
			}
			out.WriteByte('\n')
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// counts returns the measures that are units of lines.
func counts() []*measure.Measure {
	return append(measure.DecisionMeasures.Within(measure.Written), measure.CostMeasures.Within(measure.Written)...)
}

// writeBenchLines writes one line for each round, so that benchstat has samples.
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
		order := map[bool]int{true: 1} // the floor comes last, since benchstat compares with the first
		slices.SortStableFunc(plays, func(a, b result.Play) int {
			return order[algorithms.IsFloor(a.Algorithm)] - order[algorithms.IsFloor(b.Algorithm)]
		})
		for _, p := range plays {
			for k := range p.Rounds {
				benchLine(&out, run.Scenario, &p, &p.Rounds[k])
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// benchLine writes the line of one round of a play.
func benchLine(out *bytes.Buffer, scenario string, p *result.Play, r *result.Round) {
	name, f := benchmarkName("Open", scenario, p.Algorithm), roundFigures(p, r)
	fmt.Fprintf(out, "%s %d", name, max(r.Admitted+r.Rejected, 1)) // the format does not allow 0 iterations
	for _, c := range benchColumns {
		if v := f[c.name]; v != nil && c.unit != "" {
			fmt.Fprintf(out, " %s %s", Float(*v), c.unit)
		}
	}
	out.WriteByte('\n')
}

// benchmarkName returns a benchmark's name: BenchmarkSimulate/scenario=poisson/algorithm=gcra. It contains no
// characters that the format reserves, and its end cannot be read as a GOMAXPROCS.
func benchmarkName(of, scenario, algorithm string) string {
	name := "Benchmark" + of + "/scenario=" + oneWord(scenario) + "/algorithm=" + oneWord(algorithm)
	if endsInProcs.MatchString(name) {
		name += "-1"
	}
	return name
}

// endsInProcs matches a name whose end the format would read as GOMAXPROCS, such as my-script-2. Such a name gets a
// GOMAXPROCS of its own.
var endsInProcs = regexp.MustCompile(`-[0-9]+$`)

// oneWord makes s a part of a benchmark's name: a blank would end the name, and a slash the part.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, message.Visible(s))
}
