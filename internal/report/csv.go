package report

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ratelab/internal/measure"
)

// WriteCSV writes one header and one line for each scenario and algorithm, and one for each exact reference.
// Names are those of the JSON document; a measure that was not taken is an empty cell. Cells that a
// spreadsheet would run as a formula begin with an apostrophe.
func WriteCSV(w io.Writer, doc *Document) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader()); err != nil {
		return err
	}
	for i := range doc.Runs {
		run := &doc.Runs[i]
		for j := range run.Results {
			if err := out.Write(csvLine(run, &run.Results[j])); err != nil {
				return err
			}
		}
		if err := out.Write(csvLine(run, &Row{Algorithm: ReferenceLabel, Result: run.Reference})); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvHeader() []string {
	header := []string{"scenario", "algorithm"}
	for _, list := range [][]value{counts(new(measure.Result)), extras(new(Row)), findings(new(Row))} {
		for _, v := range list {
			header = append(header, v.name)
		}
	}
	return append(header, "decisions_sha256", "script_sha1", "parameters", "limit_requests", "limit_window_us",
		"limit_burst", "duration_us", "keys", "seed", "clock", "server_kind", "server_name", "server_version",
		"server_transport", "partial")
}

func csvLine(run *Run, row *Row) []string {
	line := []string{Defuse(run.Scenario), Defuse(row.Algorithm)}
	for _, list := range [][]value{counts(&row.Result), extras(row), findings(row)} {
		for _, v := range list {
			line = append(line, Defuse(v.text))
		}
	}
	return append(line, row.DecisionsSHA256, row.ScriptSHA1, Defuse(parameterText(row.Parameters)),
		integer(run.Limit.Requests), integer(run.Limit.WindowUS), integer(run.Limit.Burst),
		integer(run.DurationUS), integer(run.Keys), strconv.FormatUint(run.Seed, 10), run.Clock,
		run.Server.Kind, Defuse(run.Server.Name), Defuse(run.Server.Version), run.Server.Transport,
		strconv.FormatBool(run.Partial))
}

// parameterText joins parameters as a label does, in the order of their names: burst=100:refill=5.
func parameterText(parameters map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		parts = append(parts, name+"="+parameters[name])
	}
	return strings.Join(parts, ":")
}

// Defuse puts an apostrophe before text that a spreadsheet would take for a formula, and before text that begins with
// an apostrophe: Undefuse takes it away again, and no two texts become one.
// Source: OWASP, "CSV Injection", which names the wide forms too.
func Defuse(cell string) string {
	if armed(cell) {
		return "'" + cell
	}
	return cell
}

// Undefuse is the text that Defuse was given.
func Undefuse(cell string) string {
	if rest, found := strings.CutPrefix(cell, "'"); found && armed(rest) {
		return rest
	}
	return cell
}

// armed reports whether a cell needs its apostrophe.
func armed(cell string) bool {
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first)
}
