package worst

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/sheet"
)

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv",
		WriteCSV), sheet.Everywhere("markdown", WriteMarkdown),
}

// WriteTable writes d for people.
func WriteTable(w io.Writer, d *Document, t sheet.Terminal) error {
	return sheet.Sheet{d.part()}.WriteTerminal(w, t)
}

// WriteMarkdown writes a GitHub table with the files, and the remarks as a list.
func WriteMarkdown(w io.Writer, d *Document) error {
	part := d.part()
	t := &part.Tables[0]
	t.Columns = append(t.Columns, sheet.Column{Name: "file", Words: true})
	for i := range d.Results {
		t.Rows[i].Cells = append(t.Rows[i].Cells, sheet.Cell{Text: d.Results[i].File, Link: d.Results[i].File})
	}
	return sheet.Sheet{part}.WriteMarkdown(w)
}

func (d *Document) part() sheet.Part {
	part := sheet.Part{Tables: []sheet.Table{d.table()}, Notes: sheet.Items(d.remarks()...)}
	for _, line := range d.circumstances() {
		part.Lead = append(part.Lead, sheet.Line{Text: line})
	}
	if len(d.Scripts) > 0 {
		part.Tables = append(part.Tables, d.scripts())
	}
	return part
}

// scripts are the user's own.
func (d *Document) scripts() sheet.Table {
	t := sheet.Table{Title: "your scripts under all of this traffic: at least so much, since nobody searched for " +
		"their worst",
		Columns: []sheet.Column{{Name: "script", Words: true, Widest: 24, Narrowest: 14},
			{Name: "most in\n" + sheet.Span(d.Limit.WindowUS)}, {Name: "x\nlimit"},
			{Name: "under the\nworst of", Words: true, Leaves: 1}, {Name: "file", Words: true, Leaves: 2}}}
	for _, m := range d.Scripts {
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(m.Algorithm, fmt.Sprint(m.MostAdmitted),
			sheet.Times(m.Overshoot), m.WorstOf, m.File)})
	}
	return t
}

func (d *Document) table() sheet.Table {
	limit := "x\nlimit"
	if d.WithinUS != d.Limit.WindowUS {
		limit = "x\nallowed"
	}
	t := sheet.Table{Columns: []sheet.Column{{Name: "algorithm", Words: true, Widest: 24, Narrowest: 14}}}
	t.Columns = append(t.Columns, sheet.Column{Name: "burst", Leaves: 1},
		sheet.Column{Name: "most in\n" + sheet.Span(d.WithinUS)}, sheet.Column{Name: limit},
		sheet.Column{Name: "bound"}, sheet.Column{Name: "of the\nbound",
			Leaves: 2}, sheet.Column{Name: "decisions\ntaken", Leaves: 4}, sheet.Column{Name: "begins\nat", Leaves: 3})
	for i := range d.Results {
		r := &d.Results[i]
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(r.Algorithm, fmt.Sprint(r.Burst),
			fmt.Sprint(r.MostAdmitted), sheet.Times(r.Overshoot),
			fmt.Sprint(r.Bound), sheet.Percent(r.BoundReached), fmt.Sprint(r.Decisions), sheet.Span(r.PhaseUS))})
	}
	return t
}

// circumstances is what the figures depend on.
func (d *Document) circumstances() []string {
	costs := "requests of cost 1"
	if d.LargestCost > 1 {
		costs = fmt.Sprintf("requests of cost 1 to %d", d.LargestCost)
	}
	lines := []string{
		fmt.Sprintf("The most that each algorithm was made to admit in any %s", sheet.Span(d.WithinUS)),
		fmt.Sprintf("limit %s, 1 key, %s, seed %d, at most %d decisions each", sheet.ASCII(d.Limit.String()), costs,
			d.Seed, d.Budget),
	}
	if d.Partial {
		lines = append(lines, "PARTIAL: interrupted; algorithms may be missing, and no server has confirmed the "+
			"figures")
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
			lines = append(lines, fmt.Sprintf("BROKEN: %s admits %d in %s, and its bound is %d: see %s", r.Algorithm,
				r.MostAdmitted, sheet.Span(d.WithinUS), r.Bound, r.File))
		}
		if r.Note != "" {
			if noted[r.Note] == nil {
				notes = append(notes, r.Note)
			}
			noted[r.Note] = append(noted[r.Note], r.Algorithm)
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

// WriteCSV writes a header and a line for each algorithm; names are those of the JSON document.
func WriteCSV(w io.Writer, d *Document) error {
	header := []string{"algorithm", "burst", "most_admitted", "allowance", "overshoot", "bound", "bound_reached",
		"broken", "decisions", "complete",
		"phase_us", "start", "file", "requests", "phases", "peak_window_admitted", "decisions_digest", "confirmed",
		"within_us", "largest_cost",
		"limit_requests", "limit_window_us", "limit_burst", "seed", "budget", "partial"}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for i := range d.Results {
			r := &d.Results[i]
			var line []string
			for _, v := range []any{r.Algorithm, r.Burst, r.MostAdmitted, r.Allowance, r.Overshoot, r.Bound,
				r.BoundReached, r.Broken, r.Decisions, r.Complete,
				r.PhaseUS, r.Start, r.File, r.Requests, r.Phases, r.PeakWindowAdmitted, r.DecisionsDigest, r.Confirmed,
				d.WithinUS, d.LargestCost,
				d.Limit.Requests, d.Limit.WindowUS, d.Limit.Burst, d.Seed, d.Budget, d.Partial} {
				line = append(line, fmt.Sprint(v))
			}
			if !yield(line) {
				return
			}
		}
	})
}
