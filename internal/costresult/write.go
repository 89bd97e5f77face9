package costresult

import (
	"io"
	"strconv"

	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv", WriteCSV),
	sheet.Everywhere("markdown", WriteMarkdown),
}

// WriteTable writes d for people.
func WriteTable(w io.Writer, d *Document, t sheet.Terminal) error {
	return sheet.Sheet{d.part()}.WriteTerminal(w, t)
}

// WriteMarkdown writes a GitHub table.
func WriteMarkdown(w io.Writer, d *Document) error { return sheet.Sheet{d.part()}.WriteMarkdown(w) }

// WriteJSON writes the document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }

// WriteCSV writes a header and a line for each path; names are those of the JSON document.
func WriteCSV(w io.Writer, d *Document) error {
	header := []string{"algorithm", "script_sha1", "state", "limit_requests", "limit_window_us", "limit_burst",
		"decisions", "instructions_per_decision", "ratio_to_control", "server_allocations_per_decision",
		"redis_commands_per_decision", "replicated_bytes_per_decision", "bytes_per_key", "server", "server_version",
		"valgrind", "architecture", "partial"}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for i := range d.Rows {
			for k := range d.Rows[i].Paths {
				if !yield(d.line(&d.Rows[i], &d.Rows[i].Paths[k])) {
					return
				}
			}
		}
	})
}

func (d *Document) line(r *Row, p *Path) []string {
	bytes := ""
	if p.BytesPerKey != nil {
		bytes = sheet.Integer(*p.BytesPerKey)
	}
	return []string{r.Algorithm, r.ScriptSHA1, p.State, sheet.Integer(p.Limit.Requests),
		sheet.Integer(p.Limit.WindowUS), sheet.Integer(p.Limit.Burst), strconv.Itoa(p.Decisions),
		sheet.Float(p.Instructions), sheet.Float(p.RatioToControl), sheet.OptionalFloat(p.Allocations),
		sheet.Float(p.Commands), sheet.Float(p.ReplicatedBytes), bytes, d.Server.Name, d.Server.Version, d.Valgrind,
		d.Architecture, strconv.FormatBool(d.Partial)}
}
