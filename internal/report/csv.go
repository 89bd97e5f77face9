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
	"ratelab/internal/result"
)

// writeRows writes a header, and one line for each scenario and algorithm and for each exact reference. Columns have
// their names in JSON, and an absent measure is an empty cell. Lists and objects are JSON, in the last columns.
func (s Simulated) writeRows(w io.Writer, doc *result.Document) error {
	lines := [][]string{CSVColumns()}
	for i := range doc.Runs {
		for _, row := range withReference(&doc.Runs[i], result.ReferenceLabel) {
			lines = append(lines, csvLine(&doc.Runs[i], &row))
		}
	}
	if s.Columns == nil {
		return WriteCSV(w, lines)
	}
	picked := make([][]string, len(lines))
	for _, name := range s.Columns {
		column := slices.Index(lines[0], name)
		for i, line := range lines {
			picked[i] = append(picked[i], line[column])
		}
	}
	return WriteCSV(w, picked)
}

// withReference returns the rows of a run, plus its exact reference as a row with that name.
func withReference(run *result.Run, name string) []result.Row {
	rows := slices.Clone(run.Results)
	if run.Reference != nil {
		rows = append(rows, result.Row{Algorithm: name, Figures: *run.ReferenceFigures()})
	}
	return rows
}

// CSVColumns returns the names of all columns.
func CSVColumns() []string {
	names := each(counts(), func(m *measure.Measure) string { return m.Name })
	header := append([]string{"scenario", "algorithm"}, names...)
	header = append(header, "decisions_digest", "script_sha1", "parameters", "limit_requests", "limit_window_us",
		"limit_burst", "limit_contract", "duration_us", "keys", "seed", "clock", "server_kind", "server_name",
		"server_version", "server_transport", "partial")
	return append(header, composites...)
}

// composites are the fields of a row that have several numbers.
var composites = []string{"most_admitted", "bound", "shaping", "fairness", "clients", "clock_effect", "race",
	"local_flag", "limits", "ends", "slots"}

func csvLine(run *result.Run, row *result.Row) []string {
	line := []string{run.Scenario, row.Algorithm}
	for _, m := range counts() {
		text := ""
		if v := m.Value(&row.Figures); v.Known {
			text = Float(v.Number)
		}
		line = append(line, text)
	}
	line = append(line, row.DecisionsDigest, row.ScriptSHA1, ParameterText(row.Parameters),
		Integer(run.Limit.Requests), Integer(run.Limit.WindowUS), Integer(run.Limit.Burst),
		run.Limit.Contract.String(), Integer(run.DurationUS), Integer(run.Keys),
		strconv.FormatUint(run.Seed, 10), run.Clock, run.Server.Kind, run.Server.Name, run.Server.Version,
		run.Server.Transport, strconv.FormatBool(run.Partial))
	fields := map[string]string{}
	for _, f := range result.Fields(row) {
		fields[f.Name] = f.Text
	}
	return append(line, each(composites, func(name string) string { return fields[name] })...)
}

// ParameterText joins parameters as a label does, in the order of their names: burst=100:refill=5.
func ParameterText(parameters map[string]string) string {
	names := slices.Sorted(maps.Keys(parameters))
	return strings.Join(each(names, func(name string) string { return name + "=" + parameters[name] }), ":")
}

// WriteCSV writes lines, the first of which is the header. A cell that a spreadsheet would run as a formula gets an
// apostrophe.
func WriteCSV(w io.Writer, lines [][]string) error {
	return csv.NewWriter(w).WriteAll(each(lines, func(line []string) []string { return each(line, Defuse) }))
}

// Defuse puts an apostrophe before a text that a spreadsheet would read as a formula. It also does so before a text
// that begins with an apostrophe, so that different texts stay different. Source: OWASP, "CSV Injection", which also
// names the wide forms.
func Defuse(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	if cell != "" && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first) {
		return "'" + cell
	}
	return cell
}
