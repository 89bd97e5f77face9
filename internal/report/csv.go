package report

import (
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// writeRows writes one header and one line for each scenario and algorithm, and one for each exact reference. Columns
// are named as in JSON, and an absent measure is an empty cell. Lists and objects are JSON, in the last columns.
func (s Simulated) writeRows(w io.Writer, doc *result.Document) error {
	header := CSVColumns()
	if s.Columns == nil {
		return WriteCSV(w, header, csvLines(doc))
	}
	return WriteCSV(w, s.Columns, func(yield func([]string) bool) {
		for line := range csvLines(doc) {
			picked := make([]string, len(s.Columns))
			for i, name := range s.Columns {
				picked[i] = line[slices.Index(header, name)]
			}
			if !yield(picked) {
				return
			}
		}
	})
}

func csvLines(doc *result.Document) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i := range doc.Runs {
			run := &doc.Runs[i]
			for j := range run.Results {
				if !yield(csvLine(run, &run.Results[j])) {
					return
				}
			}
			if run.Reference == nil {
				continue
			}
			if !yield(csvLine(run, &result.Row{Algorithm: result.ReferenceLabel,
				Figures: measure.Figures{Result: *run.Reference}})) {
				return
			}
		}
	}
}

// CSVColumns are the names of all columns.
func CSVColumns() []string {
	header := []string{"scenario", "algorithm"}
	for _, m := range counts() {
		header = append(header, m.Name)
	}
	header = append(header, "decisions_digest", "script_sha1", "parameters", "limit_requests", "limit_window_us",
		"limit_burst", "limit_contract", "duration_us", "keys", "seed", "clock", "server_kind", "server_name",
		"server_version", "server_transport", "partial")
	return append(header, composites...)
}

// composites are the fields of a row that are several numbers.
var composites = []string{"most_admitted", "bound", "shaping", "fairness", "clients", "clock_effect", "race",
	"local_flag"}

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
	for _, name := range composites {
		line = append(line, fields[name])
	}
	return line
}

// ParameterText joins parameters as a label does, in the order of their names: burst=100:refill=5.
func ParameterText(parameters map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		parts = append(parts, name+"="+parameters[name])
	}
	return strings.Join(parts, ":")
}
