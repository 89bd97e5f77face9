package tune

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv", WriteCSV),
	sheet.Everywhere("markdown", WriteMarkdown),
}

// usualWidth is that of a table where nobody says how wide it may be.
const usualWidth = 80

// WriteTable writes d for people.
func WriteTable(w io.Writer, d *Document, t sheet.Terminal) error {
	t = t.Or(usualWidth)
	if err := d.sheet().WriteTerminal(w, t); err != nil {
		return err
	}
	for _, c := range d.Configurations {
		// what is to be pasted is not broken anywhere
		if _, err := fmt.Fprintf(w, "\nfor %s:\n%s", c.For, strings.TrimPrefix(c.Text+"\n", "\n")); err != nil {
			return err
		}
		if err := c.sheet().WriteTerminal(w, t); err != nil {
			return err
		}
	}
	return nil
}

// sheet is what the product does otherwise.
func (c *Configuration) sheet() sheet.Sheet {
	return sheet.Sheet{{Lead: []sheet.Line{{Style: sheet.Faint, Text: "what it does otherwise: " + c.Differs}}}}
}

// WriteMarkdown writes d as GitHub tables, and what is to be pasted as code.
func WriteMarkdown(w io.Writer, d *Document) error {
	if err := d.sheet().WriteMarkdown(w); err != nil {
		return err
	}
	for _, c := range d.Configurations {
		if _, err := fmt.Fprintf(w, "\nFor %s:\n\n", sheet.EscapeMarkdown(c.For)); err != nil {
			return err
		}
		if c.Text != "" {
			if _, err := fmt.Fprintf(w, "```\n%s\n```\n\n", c.Text); err != nil {
				return err
			}
		}
		if err := c.sheet().WriteMarkdown(w); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }

// WriteCSV writes a line for each setting, or for each key that the present one hits.
func WriteCSV(w io.Writer, d *Document) error {
	if d.Touched != nil {
		return d.writeHits(w)
	}
	header := []string{"algorithm", "requests", "window_us", "burst", "subwindows", "present", "keeps",
		"keeps_held_out", "frontier", "knee", "chosen", "users_from", "requests_from"}
	for _, part := range []string{"fitted", "held_out"} {
		for _, figure := range []string{"users", "users_refused", "requests", "requests_refused", "offered_cost",
			"admitted_cost", "worst_second"} {
			header = append(header, part+"_"+figure)
		}
	}
	if d.Sample != nil {
		header = append(header, sampledHeader()...)
	}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for i := range d.Rows {
			r := &d.Rows[i]
			line := []string{r.Algorithm, sheet.Integer(r.Limit.Requests), sheet.Integer(r.Limit.WindowUS),
				sheet.Integer(r.Limit.Burst), sheet.Integer(r.Subwindows), fmt.Sprint(r.Present), fmt.Sprint(r.Keeps),
				fmt.Sprint(r.KeepsHeldOut), fmt.Sprint(r.BeatenBy == nil), fmt.Sprint(is(d.Knee, i)),
				fmt.Sprint(is(d.Chosen, i)), r.UsersFrom, r.RequestsFrom}
			for _, f := range []Figures{r.Fitted, r.HeldOut} {
				for _, n := range []int64{f.Users, f.UsersRefused, f.Requests, f.RequestsRefused, f.OfferedCost,
					f.AdmittedCost, f.WorstSecond} {
					line = append(line, sheet.Integer(n))
				}
			}
			if d.Sample != nil {
				line = append(line, r.sampled()...)
			}
			if !yield(line) {
				return
			}
		}
	})
}

func (d *Document) writeHits(w io.Writer) error {
	header := []string{"algorithm", "key", "good", "requests", "refused", "first_us", "last_us"}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for _, t := range d.Touched {
			for _, h := range t.Who {
				if !yield([]string{t.Algorithm, h.Key, fmt.Sprint(h.Good), sheet.Integer(h.Requests),
					sheet.Integer(h.Refused), sheet.Integer(h.FirstUS), sheet.Integer(h.LastUS)}) {
					return
				}
			}
		}
	})
}

// is reports whether an optional row is the i-th.
func is(row *int, i int) bool { return row != nil && *row == i }
