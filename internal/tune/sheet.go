package tune

import (
	"fmt"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

func (d *Document) sheet() sheet.Sheet {
	if d.Touched != nil {
		return d.whoSheet()
	}
	all := sheet.Sheet{{Lead: d.lead(), Tables: []sheet.Table{d.bestTable(), d.frontierTable()}}}
	if t := d.presentTable(); len(t.Rows) > 0 {
		all[0].Tables = append(all[0].Tables, t)
	}
	all[0].Tables = append(all[0].Tables, d.windowTable(), d.rateTable())
	all[0].Notes = d.notes()
	for _, c := range d.Configurations {
		part := sheet.Part{Lead: []sheet.Line{{Text: "for " + c.For + ":"}}}
		for _, line := range strings.Split(c.Text, "\n") {
			if line != "" {
				part.Lead = append(part.Lead, sheet.Line{Text: line})
			}
		}
		part.Lead = append(part.Lead, sheet.Line{Style: sheet.Faint, Text: "what it does otherwise: " + c.Differs})
		all = append(all, part)
	}
	return all
}

// lead is the answer, and what it is about.
func (d *Document) lead() []sheet.Line {
	lines := []sheet.Line{{Style: sheet.Strong, Text: d.Headline()}}
	if i := d.KeptOnBoth; i != nil {
		r := &d.Rows[*i]
		lines = append(lines, sheet.Line{Text: "kept on both parts: " + r.label() + ", " + d.does(r)})
	}
	return append(lines, d.about()...)
}

// about is the traffic and who is good.
func (d *Document) about() []sheet.Line {
	f := &d.Traffic
	text := fmt.Sprintf("%s: %s of %s in %s", f.Name, message.Count(f.Requests, "request"),
		message.Count(f.Keys, "key"), sheet.Briefly(f.DurationUS))
	if d.Touched == nil {
		text += fmt.Sprintf("; fitted on %s, held out %s", f.Fitted, f.HeldOut)
	}
	good := fmt.Sprintf("good users: %d of %s, by %s", d.Good.Users, message.Count(f.Keys, "key"), d.Good.By)
	if d.Good.Most > 0 {
		good += fmt.Sprintf(": those that use at most %d in all", d.Good.Most)
	}
	lines := []sheet.Line{{Style: sheet.Faint, Text: text}, {Style: sheet.Faint, Text: good}}
	if d.Touched == nil {
		worst := fmt.Sprintf("without a limit the backend's worst second has %d | %d (fitted | held out)",
			d.Unlimited.Fitted.WorstSecond, d.Unlimited.HeldOut.WorstSecond)
		lines = append(lines, sheet.Line{Style: sheet.Faint, Text: "wished: " + d.Wishes.String()},
			sheet.Line{Style: sheet.Faint, Text: worst})
	}
	return lines
}

// Headline is the answer in a line.
func (d *Document) Headline() string {
	if d.Chosen != nil {
		r := &d.Rows[*d.Chosen]
		text := "take " + r.label() + ": " + d.does(r)
		if !r.KeepsHeldOut {
			text += "; what is held out does not keep the wishes"
		}
		return text
	}
	return "no setting that was tried keeps all wishes; " + d.NearestText()
}

// NearestText is the nearest on each side.
func (d *Document) NearestText() string {
	var all []string
	for _, i := range d.Nearest {
		r := &d.Rows[i]
		side := "what protects the backend"
		if d.Wishes.spares(&r.Fitted) {
			side = "what spares the users"
		}
		all = append(all, fmt.Sprintf("of %s %s is nearest: %s", side, r.label(), d.does(r)))
	}
	return strings.Join(all, "; ")
}

// label is the setting in words.
func (r *Row) label() string {
	text := r.Algorithm + " " + r.Setting().Limit()
	if r.Setting().IsBucket() {
		text += fmt.Sprintf(" burst %d", r.Limit.Burst)
	}
	if r.Subwindows > 0 {
		text += fmt.Sprintf(" in %d sub-windows", r.Subwindows)
	}
	return text
}

// does is what a row does, fitted and held out.
func (d *Document) does(r *Row) string {
	return fmt.Sprintf("%s | %s of %s refused, worst second %d | %d (fitted | held out)", d.refused(&r.Fitted),
		d.refused(&r.HeldOut), d.Wishes.Of, r.Fitted.WorstSecond, r.HeldOut.WorstSecond)
}

// refused is the share that is.
func (d *Document) refused(f *Figures) string {
	n, of := d.Wishes.refused(f)
	if of == 0 {
		return sheet.Absent
	}
	return sheet.Percent(share(n, of))
}

func (d *Document) notes() []sheet.Line {
	var exactly []string
	for _, r := range d.Rows {
		if r.RequestsFrom == "curve" && (len(exactly) == 0 || exactly[len(exactly)-1] != r.Algorithm) {
			exactly = append(exactly, r.Algorithm)
		}
	}
	from := "users refused: by exact curves for fixed-window, fixed-window-aligned, sliding-window-log and gcra, by " +
		"runs of the models for the others"
	if d.Wishes.Of == Requests {
		from = "requests refused: by runs of the models"
		if exactly != nil {
			from += ", and for " + message.Enumerate(exactly) + " by exact curves"
		}
	}
	lines := []string{from + "; worst seconds: by runs"}
	for _, n := range d.Notes {
		lines = append(lines, "note: "+n)
	}
	return sheet.Items(lines...)
}
