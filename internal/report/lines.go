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
	for _, unit := range counts() {
		fmt.Fprintf(&out, "Unit %s assume=exact\n", unit.Name)
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

// counts are the measures that are lines' units.
func counts() []*measure.Measure {
	return append(measure.DecisionMeasures.Within(measure.Written), measure.CostMeasures.Within(measure.Written)...)
}

func simulateLine(out *bytes.Buffer, scenario string, row *result.Row) {
	out.WriteString(BenchmarkName("Simulate", "scenario", scenario, "algorithm", row.Algorithm) + " 1")
	for _, m := range counts() {
		if v := m.Value(&row.Figures); v.Known {
			fmt.Fprintf(out, " %s %s", Float(v.Number), m.Name)
		}
	}
	out.WriteByte('\n')
}
