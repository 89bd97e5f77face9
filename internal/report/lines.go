package report

import (
	"bytes"
	"fmt"
	"io"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// writeLines writes doc in the Go benchmark format, which benchstat compares: one result of one iteration
// for each scenario and algorithm. The units are the measures' names in JSON, all declared exact, because
// virtual time repeats them to the digit.
// Source: golang.org/design/14313-benchmark-format.
//
// Note: the tool's version stands in a line that the format ignores. As a configuration key it would put two
// versions into separate tables of benchstat, and comparing versions is what the format is for.
func writeLines(w io.Writer, doc *result.Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s\n", OneWord(doc.Tool.Name), OneWord(doc.Tool.Version))
	for _, unit := range benchUnits() {
		fmt.Fprintf(&out, "Unit %s assume=exact\n", unit)
	}
	for i := range doc.Runs {
		run := &doc.Runs[i]
		fmt.Fprintf(&out, "\nscenario: %s\nlimit: %s\nseed: %d\nclock: %s\nserver: %s\npartial: %t\n",
			message.Visible(run.Scenario),
			run.Limit.String(), run.Seed, run.Clock, message.Visible(run.Server.String()), run.Partial)
		for j := range run.Results {
			simulateLine(&out, run.Scenario, &run.Results[j])
		}
		if run.Reference != nil {
			simulateLine(&out, run.Scenario, &result.Row{Algorithm: "exact-reference",
				Figures: measure.Figures{Result: *run.Reference}})
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func benchUnits() []string {
	var units []string
	for _, v := range append(result.Counts(new(measure.Figures)), result.Extras(new(measure.Figures))...) {
		units = append(units, v.Name)
	}
	return units
}

func simulateLine(out *bytes.Buffer, scenario string, row *result.Row) {
	out.WriteString(BenchmarkName("Simulate", "scenario", scenario, "algorithm", row.Algorithm) + " 1")
	for _, v := range append(result.Counts(&row.Figures), result.Extras(&row.Figures)...) {
		if v.Text != "" {
			fmt.Fprintf(out, " %s %s", v.Text, v.Name)
		}
	}
	out.WriteByte('\n')
}
