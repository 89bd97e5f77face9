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

// writeBenchRows writes one table for all that was measured: a header, and a line for each thing.
func writeBenchRows(w io.Writer, d *result.Document) error {
	header := []string{"part", "scenario", "algorithm", "outcome"}
	for _, c := range benchColumns {
		header = append(header, c.name)
	}
	header = append(header, "seed", "server", "cpu", "valid", "partial")
	context := []string{describe(&d.Server), d.Machine.CPU, strconv.FormatBool(d.Validity.Valid),
		strconv.FormatBool(d.Partial)}
	return WriteCSV(w, header, func(yield func([]string) bool) {
		write := func(scenario, seed string, all []measurement) bool {
			for _, m := range all {
				line := []string{m.part, scenario, m.algorithm, m.outcome}
				for _, c := range benchColumns {
					line = append(line, OptionalFloat(m.figures[c.name]))
				}
				if !yield(slices.Concat(line, []string{seed}, context)) {
					return false
				}
			}
			return true
		}
		for i := range d.Runs {
			run := &d.Runs[i]
			for _, p := range d.Plays(run) {
				seed := strconv.FormatUint(run.Seed, 10)
				if !write(run.Scenario, seed, outcomes(&p, d.Settings.Connections)) {
					return
				}
			}
		}
		for i := range d.Costs {
			if all, _ := costs(&d.Costs[i], d.Settings.Connections); !write("", "", all) {
				return
			}
		}
	})
}

// writeBenchLines writes d in the Go benchmark format, one line for each measurement, so that benchstat has samples:
// Open is a scenario's own traffic, Closed a mix at the connections of the settings, Sweep the mix half at others, and
// Memory what one key takes. Source: golang.org/design/14313-benchmark-format.
//
// Note: the tool's version, the server and whether the figures can be trusted stand in lines that the format ignores.
// As configuration keys they would put two versions, or two servers, into separate tables of benchstat, and comparing
// those is what the format is for.
func writeBenchLines(w io.Writer, d *result.Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s of %s\n", message.Visible(d.Tool.Name), message.Visible(d.Tool.Version),
		message.Visible(describe(&d.Server)))
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
			benchLines(&out, playRounds(&p), "scenario", run.Scenario)
		}
	}
	if len(d.Costs) > 0 {
		fmt.Fprintf(&out, "\nscenario:\nseed:\nlimit: %s\nconnections: %d\n", d.Settings.CostLimit,
			d.Settings.Connections)
	}
	list := slices.Clone(d.Costs)
	slices.SortStableFunc(list, func(a, b result.Cost) int { return controlLast(a.Algorithm, b.Algorithm) })
	for i := range list {
		_, samples := costs(&list[i], d.Settings.Connections)
		benchLines(&out, samples)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// controlLast compares two limiters, of which the control comes last: benchstat compares with the first.
func controlLast(a, b string) int {
	order := map[string]int{result.Control: 1}
	return cmp.Compare(order[a], order[b])
}

// benchKeys are the parts' names in the benchmark format, and what tells their measurements apart there.
var benchKeys = map[string][2]string{partOpen: {"Open"}, partClosed: {"Closed", "mix"},
	partSweep: {"Sweep", "connections"}, partMemory: {"Memory", "requests"}}

// benchLines are a line for each measurement. Its name begins with the key, or with what its part is told apart by.
func benchLines(out *bytes.Buffer, all []measurement, key ...string) {
	for _, m := range all {
		of := benchKeys[m.part]
		if key == nil || of[1] != "" {
			key = []string{of[1], m.at}
		}
		name := BenchmarkName(of[0], append(slices.Clip(key), "algorithm", m.algorithm)...)
		fmt.Fprintf(out, "%s %d", name, max(m.calls, 1)) // the format knows no benchmark of no iterations
		for _, c := range benchColumns {
			if f := m.figures[c.name]; f != nil && c.unit != "" {
				fmt.Fprintf(out, " %s %s", Float(*f), c.unit)
			}
		}
		out.WriteByte('\n')
	}
}
