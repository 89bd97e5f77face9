package recommend

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/report"
)

//go:embed recommendation.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the document that WriteJSON writes.
func Schema() []byte { return slices.Clone(schema) }

// Formats lists the names that Write knows, the default first.
func Formats() []string { return []string{"table", "json", "csv", "markdown"} }

// Write writes d in the named format.
func Write(w io.Writer, format string, d *Document) error {
	switch format {
	case "table":
		return WriteTable(w, d)
	case "json":
		return WriteJSON(w, d)
	case "csv":
		return WriteCSV(w, d)
	case "markdown":
		return WriteMarkdown(w, d)
	}
	return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats(), ", "))
}

// WriteJSON writes d as one indented JSON document and a newline.
func WriteJSON(w io.Writer, d *Document) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("recommendation: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// csvHeader names the columns of WriteCSV.
var csvHeader = []string{"rank", "algorithm", "qualifies", "burst", "overshoot", "overshoot_scenario", "over_limit_within", "false_admits_share",
	"false_rejects_share", "false_rejects_scenario", "utilization", "redis_calls_per_decision", "server_us_per_decision", "confirmed", "excluded_by"}

// WriteCSV writes one line for each candidate, in their order, with its worst figures. Cells that a spreadsheet would
// run as a formula begin with an apostrophe.
func WriteCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	for i := range d.Candidates {
		if err := out.Write(d.Candidates[i].csvLine()); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (c *Candidate) csvLine() []string {
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return decimal(*v)
	}
	var calls *float64
	if c.RedisCalls != nil {
		calls = &c.RedisCalls.Value
	}
	rank, burst := "", ""
	if c.Qualifies {
		rank = strconv.Itoa(c.Rank)
	}
	if c.Burst != nil {
		burst = strconv.FormatInt(*c.Burst, 10)
	}
	var words []string
	for _, x := range c.ExcludedBy {
		words = append(words, x.Words)
	}
	return []string{rank, report.Defuse(c.Algorithm), strconv.FormatBool(c.Qualifies), burst, decimal(c.Overshoot.Value), report.Defuse(c.Overshoot.Scenario),
		strings.TrimPrefix(c.within(), absent), decimal(c.FalseAdmits.Value), decimal(c.FalseRejects.Value), report.Defuse(c.FalseRejects.Scenario), decimal(c.Utilization.Value),
		optional(calls), optional(c.ServerUS), strconv.FormatBool(c.Confirmed), report.Defuse(strings.Join(words, "; "))}
}

// WriteMarkdown writes what the table shows for a design document. Names show as they were written and mark up nothing.
func WriteMarkdown(w io.Writer, d *Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "### %s\n\n**%s**\n\n", report.EscapeMarkdown(d.title()), report.EscapeMarkdown(d.headline()))
	markdownList(&out, d.circumstances())
	if g := d.qualified(); len(g.rows) > 0 {
		out.WriteString("Those that qualify:\n\n")
		g.markdown(&out)
	}
	if g := d.excluded(); len(g.rows) > 0 {
		out.WriteString("Those that do not:\n\n")
		g.markdown(&out)
	}
	markdownList(&out, d.remarks())
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

func markdownList(out *bytes.Buffer, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", report.EscapeMarkdown(line))
	}
	out.WriteByte('\n')
}

func (g *grid) markdown(out *bytes.Buffer) {
	head, rule := "|", "|"
	for _, c := range g.columns {
		head += " " + report.EscapeMarkdown(c.heading()) + " |"
		rule += map[bool]string{true: ":---|", false: "---:|"}[c.words]
	}
	out.WriteString(head + "\n" + rule + "\n")
	for _, row := range g.rows {
		out.WriteByte('|')
		for _, cell := range row {
			out.WriteString(" " + report.EscapeMarkdown(cell) + " |")
		}
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
}
