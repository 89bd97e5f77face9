package report

import (
	"bytes"
	"fmt"
	"io"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// WriteBench writes doc in the Go benchmark format, which benchstat compares: one result of one iteration
// for each scenario and algorithm. The units are the measures' names in JSON, all declared exact, because
// virtual time repeats them to the digit.
// Source: golang.org/design/14313-benchmark-format.
//
// Note: the tool's version stands in a line that the format ignores. As a configuration key it would put two
// versions into separate tables of benchstat, and comparing versions is what the format is for.
func WriteBench(w io.Writer, doc *Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s %s\n", sheet.OneWord(doc.Tool.Name), sheet.OneWord(doc.Tool.Version))
	for _, unit := range benchUnits() {
		fmt.Fprintf(&out, "Unit %s assume=exact\n", unit)
	}
	for i := range doc.Runs {
		run := &doc.Runs[i]
		fmt.Fprintf(&out, "\nscenario: %s\nlimit: %s\nseed: %d\nclock: %s\nserver: %s\npartial: %t\n",
			message.Visible(run.Scenario),
			run.Limit.String(), run.Seed, run.Clock, message.Visible(run.Server.String()), run.Partial)
		for j := range run.Results {
			benchLine(&out, run.Scenario, &run.Results[j])
		}
		if run.Reference != nil {
			benchLine(&out, run.Scenario, &Row{Algorithm: "exact-reference",
				Figures: measure.Figures{Result: *run.Reference}})
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func benchUnits() []string {
	var units []string
	for _, v := range append(counts(new(measure.Figures)), extras(new(measure.Figures))...) {
		units = append(units, v.name)
	}
	return units
}

func benchLine(out *bytes.Buffer, scenario string, row *Row) {
	out.WriteString(sheet.BenchmarkName("Simulate", "scenario", scenario, "algorithm", row.Algorithm) + " 1")
	for _, v := range append(counts(&row.Figures), extras(&row.Figures)...) {
		if v.text != "" {
			fmt.Fprintf(out, " %s %s", v.text, v.name)
		}
	}
	out.WriteByte('\n')
}
