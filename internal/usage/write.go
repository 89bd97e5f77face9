package usage

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/message"
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
	return d.sheet().WriteTerminal(w, t)
}

// WriteMarkdown writes d as GitHub tables.
func WriteMarkdown(w io.Writer, d *Document) error { return d.sheet().WriteMarkdown(w) }

// WriteJSON writes the document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }

// WriteCSV writes a line for each limit.
func WriteCSV(w io.Writer, d *Document) error {
	header := []string{"requests", "window_us", "refused", "refused_share", "clients", "clients_share"}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for _, t := range d.Limits {
			if !yield([]string{sheet.Integer(t.Requests), sheet.Integer(t.WindowUS), sheet.Integer(t.Refused),
				sheet.Float(share(t.Refused, d.Cost)), sheet.Integer(t.Clients),
				sheet.Float(share(t.Clients, d.Clients))}) {
				return
			}
		}
	})
}

func (d *Document) sheet() sheet.Sheet {
	what := "requests"
	if d.Cost != d.Requests {
		what = "cost"
	}
	return sheet.Sheet{{
		Lead: []sheet.Line{{Style: sheet.Faint, Text: fmt.Sprintf("%s of %s in %s",
			message.Count(d.Requests, "request"), message.Count(d.Clients, "client"), sheet.Span(d.DurationUS))}},
		Tables: []sheet.Table{d.used(), d.touched(what)},
		Notes:  d.notes(),
	}}
}

// used is how much clients ask for.
func (d *Document) used() sheet.Table {
	t := sheet.Table{Title: "the most that a client asks for in any window; half of the clients never more than p50",
		Columns: []sheet.Column{{Name: "window", Words: true}}}
	t.Columns = append(t.Columns, sheet.Numbers("p50", "p90", "p99", "p99.9", "most")...)
	t.Columns = append(t.Columns, sheet.Column{Name: "by", Words: true, Narrowest: 12, Leaves: 1})
	for _, w := range d.Windows {
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(sheet.Span(w.WindowUS), sheet.Integer(w.P50),
			sheet.Integer(w.P90), sheet.Integer(w.P99), sheet.Integer(w.P999), sheet.Integer(w.Most), w.MostKey)})
	}
	return t
}

// touched is what limits would refuse.
func (d *Document) touched(what string) sheet.Table {
	t := sheet.Table{Title: "what an exact limiter would refuse", Columns: []sheet.Column{
		{Name: "limit", Words: true}, {Name: "refused"}, {Name: "of all\n" + what}, {Name: "clients\ntouched"},
		{Name: "of all\nclients"},
		{Name: "most of it from", Words: true, Narrowest: 16, Leaves: 1, Break: sheet.BreakList},
	}}
	for _, l := range d.Limits {
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(
			fmt.Sprintf("%d/%s", l.Requests, sheet.Span(l.WindowUS)), sheet.Integer(l.Refused),
			sheet.Percent(share(l.Refused, d.Cost)), sheet.Integer(l.Clients),
			sheet.Percent(share(l.Clients, d.Clients)), l.named())})
	}
	return t
}

func (d *Document) notes() []sheet.Line {
	var lines []string
	for _, n := range d.Notes {
		lines = append(lines, "note: "+n)
	}
	return sheet.Items(lines...)
}

// mostInTable is how many clients a table names for a limit.
const mostInTable = 3

// named are those of whom most is refused, with how much of what they asked for.
func (t *Touched) named() string {
	var all []string
	for _, c := range t.Who[:min(len(t.Who), mostInTable)] {
		all = append(all, fmt.Sprintf("%s %d of %d", message.Shown(c.Key), c.Refused, c.Asked))
	}
	return strings.Join(all, ", ")
}

// share is a part of a whole; of nothing it is none.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
