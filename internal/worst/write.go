package worst

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/report"
)

// formats are the forms in which a document can be written.
var formats = map[string]func(io.Writer, *Document) error{
	"table": WriteTable, "json": WriteJSON, "csv": WriteCSV, "markdown": WriteMarkdown,
}

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "csv", "markdown"} }

// Write writes d in the named format, which is one of Formats.
func Write(w io.Writer, format string, d *Document) error { return formats[format](w, d) }

// column is one figure of a row; headings have two lines.
type column struct {
	over, under string
	text        func(*Row) string
}

func (d *Document) columns() []column {
	over, within := "x", "limit"
	if d.WithinUS != d.Limit.WindowUS {
		within = "allowed"
	}
	return []column{
		{"burst", "", func(r *Row) string { return fmt.Sprint(r.Burst) }},
		{"most in", formatUS(d.WithinUS), func(r *Row) string { return fmt.Sprint(r.MostAdmitted) }},
		{over, within, func(r *Row) string { return report.Times(r.Overshoot) }},
		{"bound", "", func(r *Row) string { return fmt.Sprint(r.Bound) }},
		{"of the", "bound", func(r *Row) string { return percent(r) }},
		{"decisions", "taken", func(r *Row) string { return fmt.Sprint(r.Decisions) }},
		{"begins", "at", func(r *Row) string { return formatUS(r.PhaseUS) }},
	}
}

// percent never rounds up to a bound that was not reached, nor down to one that was broken.
func percent(r *Row) string {
	s := fmt.Sprintf("%.1f%%", 100*r.BoundReached)
	switch {
	case s == "100.0%" && r.MostAdmitted < r.Bound:
		return "99.9%"
	case s == "100.0%" && r.Broken:
		return ">100.0%"
	}
	return s
}

// WriteTable writes d for people, plain and at most 86 columns wide where labels and figures are not very long.
func WriteTable(w io.Writer, d *Document) error {
	var out bytes.Buffer
	for _, line := range d.circumstances() {
		out.WriteString(line + "\n")
	}
	out.WriteString("\n" + d.table() + "\n")
	for i, line := range d.remarks() {
		if i == 0 {
			out.WriteByte('\n')
		}
		out.WriteString(line + "\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// widestLabel is where a label is broken.
const widestLabel = 24

func (d *Document) table() string {
	columns := d.columns()
	t := table.NewWriter()
	t.SetStyle(report.PlainStyle())
	configs := []table.ColumnConfig{{Number: 1, WidthMax: widestLabel, WidthMaxEnforcer: report.WrapLabel}}
	head := table.Row{"algorithm"}
	for i, c := range columns {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
		head = append(head, strings.TrimSuffix(c.over+"\n"+c.under, "\n"))
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(head)
	for i := range d.Results {
		cells := table.Row{report.Printable(d.Results[i].Algorithm)}
		for _, c := range columns {
			cells = append(cells, c.text(&d.Results[i]))
		}
		t.AppendRow(cells)
	}
	return report.TrimRight(t.Render())
}

// circumstances is what the figures depend on.
func (d *Document) circumstances() []string {
	costs := "requests of cost 1"
	if d.LargestCost > 1 {
		costs = fmt.Sprintf("requests of cost 1 to %d", d.LargestCost)
	}
	lines := []string{
		fmt.Sprintf("The most that each algorithm was made to admit in any %s", formatUS(d.WithinUS)),
		fmt.Sprintf("limit %s, 1 key, %s, seed %d, at most %d decisions each", asciiUS(d.Limit.String()), costs, d.Seed, d.Budget),
	}
	if d.Partial {
		lines = append(lines, "PARTIAL: interrupted; algorithms may be missing, and no server has confirmed the figures")
	}
	return lines
}

// remarks are the lines under the rows.
func (d *Document) remarks() []string {
	var lines, notes []string
	noted := map[string][]string{}
	confirmed := 0
	for i := range d.Results {
		r := &d.Results[i]
		if r.Broken {
			lines = append(lines, fmt.Sprintf("BROKEN: %s admits %d in %s, and its bound is %d: see %s", report.Printable(r.Algorithm), r.MostAdmitted, formatUS(d.WithinUS), r.Bound, r.File))
		}
		if r.Note != "" {
			if noted[r.Note] == nil {
				notes = append(notes, r.Note)
			}
			noted[r.Note] = append(noted[r.Note], report.Printable(r.Algorithm))
		}
		if r.Confirmed {
			confirmed++
		}
	}
	for _, note := range notes {
		lines = append(lines, strings.Join(noted[note], ", ")+": "+note)
	}
	if confirmed > 0 && confirmed == len(d.Results) {
		lines = append(lines, "every file decides the same with the algorithm's script on "+d.Server.String())
	}
	return lines
}

// WriteMarkdown writes a GitHub table with the files, and the remarks as a list.
func WriteMarkdown(w io.Writer, d *Document) error {
	var out bytes.Buffer
	for i, line := range d.circumstances() {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(report.EscapeMarkdown(line) + "\n")
	}
	columns := d.columns()
	head, rule := "\n| algorithm |", "|:---|"
	for _, c := range columns {
		head += " " + strings.TrimSpace(c.over+" "+c.under) + " |"
		rule += "---:|"
	}
	out.WriteString(head + " file |\n" + rule + ":---|\n")
	for i := range d.Results {
		r := &d.Results[i]
		out.WriteString("| " + report.EscapeMarkdown(r.Algorithm) + " |")
		for _, c := range columns {
			out.WriteString(" " + report.EscapeMarkdown(c.text(r)) + " |")
		}
		fmt.Fprintf(&out, " [%s](%s) |\n", report.EscapeMarkdown(r.File), r.File)
	}
	for i, line := range d.remarks() {
		if i == 0 {
			out.WriteByte('\n')
		}
		out.WriteString("- " + report.EscapeMarkdown(line) + "\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WriteCSV writes a header and a line for each algorithm; names are those of the JSON document.
func WriteCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"algorithm", "burst", "most_admitted", "allowance", "overshoot", "bound", "bound_reached", "broken", "decisions", "complete",
		"phase_us", "start", "file", "requests", "phases", "peak_window_admitted", "decisions_sha256", "confirmed", "within_us", "largest_cost",
		"limit_requests", "limit_window_us", "limit_burst", "seed", "budget", "partial"}}
	for i := range d.Results {
		r := &d.Results[i]
		var line []string
		for _, v := range []any{report.Defuse(r.Algorithm), r.Burst, r.MostAdmitted, r.Allowance, r.Overshoot, r.Bound, r.BoundReached, r.Broken, r.Decisions, r.Complete,
			r.PhaseUS, r.Start, r.File, r.Requests, r.Phases, r.PeakWindowAdmitted, r.DecisionsSHA256, r.Confirmed, d.WithinUS, d.LargestCost,
			d.Limit.Requests, d.Limit.WindowUS, d.Limit.Burst, d.Seed, d.Budget, d.Partial} {
			line = append(line, fmt.Sprint(v))
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}
