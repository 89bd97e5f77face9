package change

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

// WriteCSV writes a line for each traffic.
func WriteCSV(w io.Writer, d *Document) error {
	header := []string{"traffic", "requests", "decided_otherwise", "told_otherwise", "base_admitted", "head_admitted",
		"base_redis_calls", "head_redis_calls", "base_keys_left_without_ttl", "head_keys_left_without_ttl",
		"first_number",
		"first_t_us", "first_key", "first_cost"}
	return sheet.WriteCSV(w, header, func(yield func([]string) bool) {
		for i := range d.Rows {
			if !yield(d.Rows[i].cells()) {
				return
			}
		}
	})
}

func (r *Row) cells() []string {
	cells := []string{r.Traffic}
	for _, n := range []int64{r.Requests, r.DecidedOtherwise, r.ToldOtherwise, r.Base.Admitted, r.Head.Admitted,
		r.Base.RedisCalls, r.Head.RedisCalls, r.Base.KeysWithoutTTL, r.Head.KeysWithoutTTL} {
		cells = append(cells, sheet.Integer(n))
	}
	if f := r.First; f != nil {
		return append(cells, sheet.Integer(f.Number), sheet.Integer(f.AtUS), f.Key, sheet.Integer(f.Cost))
	}
	return append(cells, "", "", "", "")
}

// sheet is the verdict, what differs, and a table of that.
func (d *Document) sheet() sheet.Sheet {
	lead := []sheet.Line{d.verdict()}
	if first := d.first(); first != "" {
		lead = append(lead, sheet.Line{Text: first})
	}
	part := sheet.Part{Lead: append(lead, d.work()...)}
	if t := d.table(); len(t.Rows) > 0 {
		part.Tables = []sheet.Table{t}
	}
	for _, n := range d.Notes {
		part.Notes = append(part.Notes, sheet.Items("note: "+n)...)
	}
	return sheet.Sheet{part}
}

// verdict is the outcome in a sentence.
func (d *Document) verdict() sheet.Line {
	var requests, decided, told int64
	differing, otherwise := 0, 0 // traffics in which anything differs, or a decision
	for i := range d.Rows {
		r := &d.Rows[i]
		requests, decided, told = requests+r.Requests, decided+r.DecidedOtherwise, told+r.ToldOtherwise
		if r.differs() {
			differing++
		}
		if r.DecidedOtherwise > 0 {
			otherwise++
		}
	}
	of := fmt.Sprintf("%s -> %s: ", message.Shown(d.Base.Name), message.Shown(d.Head.Name))
	line := sheet.Line{Style: sheet.Strong}
	switch {
	case decided > 0:
		line.Style = sheet.Alarm
		line.Text = fmt.Sprintf("%sDIFFERENT: of %s %s decided otherwise, in %d of %s", of,
			message.Count(requests, "request"), are(decided), otherwise, message.Count(len(d.Rows), "traffic"))
	case told > 0:
		line.Style = sheet.Alarm
		line.Text = fmt.Sprintf("%sDIFFERENT: %s are decided alike; %s told another remaining or retry_after_us, in "+
			"%d of %s",
			of, message.Count(requests, "request"), are(told), differing, message.Count(len(d.Rows), "traffic"))
	default:
		what := "the same answers"
		if d.Verdicts {
			what = "the same verdicts"
		}
		line.Text = fmt.Sprintf("%s%s to %s of %s", of, what, message.Count(requests, "request"),
			message.Count(len(d.Rows), "traffic"))
	}
	if d.Partial {
		line.Text += " (interrupted: the rest was not compared)"
	}
	return line
}

func are(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return sheet.Integer(n) + " are"
}

// first is the first difference of the first traffic that has one, for whoever wants to see it happen; where any
// request is decided otherwise it is such a one.
func (d *Document) first() string {
	var found *Row
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.First != nil && (found == nil || found.DecidedOtherwise == 0 && r.DecidedOtherwise > 0) {
			found = r
		}
	}
	if found == nil {
		return ""
	}
	f := found.First
	return fmt.Sprintf("first in %s (limit %v): request %d, key %s, cost %d, at %s: base %s, head %s", found.Traffic,
		found.Limit, f.Number, message.Quote(f.Key), f.Cost, sheet.Span(f.AtUS), f.Base.say(&f.Head),
		f.Head.say(&f.Base))
}

// say is an answer in words, with what it does not share with the other one.
func (a *Answer) say(other *Answer) string {
	var words []string
	switch a.Allowed {
	case 1:
		words = append(words, "admits it")
	case 0:
		words = append(words, "rejects it")
	case -1:
		words = append(words, "says that nothing is configured")
	default:
		words = append(words, "is unavailable")
	}
	if a.DelayUS != other.DelayUS {
		words = append(words, fmt.Sprintf("delay_us %d", a.DelayUS))
	}
	if a.Remaining != other.Remaining {
		words = append(words, fmt.Sprintf("remaining %d", a.Remaining))
	}
	if a.RetryAfterUS != other.RetryAfterUS {
		words = append(words, fmt.Sprintf("retry_after_us %d", a.RetryAfterUS))
	}
	return strings.Join(words, ", ")
}

// work is what is to be said of commands and keys: of the traffics that are decided alike, since another decision takes
// another path.
func (d *Document) work() []sheet.Line {
	var lines []sheet.Line
	var requests, was, is, bare, bareNow int64
	for i := range d.Rows {
		if r := &d.Rows[i]; r.DecidedOtherwise == 0 {
			requests += r.Requests
			was, is = was+r.Base.RedisCalls, is+r.Head.RedisCalls
			bare, bareNow = bare+r.Base.KeysWithoutTTL, bareNow+r.Head.KeysWithoutTTL
		}
	}
	if requests == 0 {
		return nil
	}
	text := fmt.Sprintf("commands: %.2f a decision, as before", float64(is)/float64(requests))
	if was != is {
		text = fmt.Sprintf("commands: %d -> %d (%.2f a decision), where decisions are the same", was, is,
			float64(is)/float64(requests))
	}
	lines = append(lines, sheet.Line{Text: text})
	if bareNow > bare {
		lines = append(lines, sheet.Line{Style: sheet.Alarm, Text: fmt.Sprintf(
			"keys left without a TTL: %d -> %d; these never go", bare, bareNow)})
	}
	return lines
}

// table has the traffics in which anything differs.
func (d *Document) table() sheet.Table {
	t := sheet.Table{Columns: []sheet.Column{{Name: "traffic", Words: true, Narrowest: 12}, {Name: "requests",
		Leaves: 2},
		{Name: "decided\notherwise"}, {Name: "told\notherwise", Leaves: 1}, {Name: "first", Leaves: 3},
		{Group: "admitted", Name: "base"}, {Group: "admitted", Name: "head"}, {Group: "commands", Name: "base"},
		{Group: "commands", Name: "head"}}}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !r.differs() && !r.dearer() {
			continue
		}
		first := sheet.Absent
		if r.First != nil {
			first = sheet.Integer(r.First.Number)
		}
		t.Rows = append(t.Rows, sheet.TableRow{Cells: sheet.Cells(r.Traffic, sheet.Integer(r.Requests),
			sheet.Integer(r.DecidedOtherwise), sheet.Integer(r.ToldOtherwise), first, sheet.Integer(r.Base.Admitted),
			sheet.Integer(r.Head.Admitted), sheet.Integer(r.Base.RedisCalls), sheet.Integer(r.Head.RedisCalls))})
	}
	return t
}

// Line is the verdict in one line, for the log of a job.
func (d *Document) Line() string {
	if first := d.first(); first != "" {
		return first
	}
	for i := range d.Rows {
		if r := &d.Rows[i]; r.dearer() {
			return fmt.Sprintf("%s: the same decisions take more: %d -> %d commands, %d -> %d keys left without a TTL",
				r.Traffic, r.Base.RedisCalls, r.Head.RedisCalls, r.Base.KeysWithoutTTL, r.Head.KeysWithoutTTL)
		}
	}
	return string(d.Outcome)
}
