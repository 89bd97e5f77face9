package tune

import (
	"fmt"
	"slices"
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
	return all
}

// lead is the answer, and what it is about.
func (d *Document) lead() []sheet.Line {
	lines := []sheet.Line{{Style: sheet.Strong, Text: d.Headline()}}
	if text := d.atOnce(); text != "" {
		lines = append(lines, sheet.Line{Style: sheet.Alarm, Text: text})
	}
	if i := d.KeptOnBoth; i != nil {
		r := &d.Rows[*i]
		kept := "kept on both parts: "
		if d.leavesOut() {
			kept = "on both parts the sample has nothing against: "
		}
		lines = append(lines, sheet.Line{Text: kept + r.label() + ", " + d.does(r)})
	}
	return append(lines, d.about()...)
}

// atOnce says what the chosen setting would refuse if the requests of a second came at once; "" where that was not
// asked, or is nothing.
func (d *Document) atOnce() string {
	if d.AtOnce == nil || d.AtOnce.Refused == 0 {
		return ""
	}
	return fmt.Sprintf("The log has whole seconds, and what is said takes requests as spread evenly within each. If "+
		"they come at once it refuses %s of %s, %d of them good: --within-second at_once tunes for that",
		message.Count(d.AtOnce.Refused, "request"), message.Count(d.AtOnce.Keys, "key"), d.AtOnce.Good)
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
	if d.Sample != nil {
		lines = append(lines, sheet.Line{Style: sheet.Faint, Text: d.sampleText()})
	}
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
		text := "Take " + r.label() + ": " + d.does(r)
		if !r.KeepsHeldOut {
			text += "; what is held out does not keep the wishes"
		}
		return text + d.reserve(r)
	}
	return "No setting that was tried keeps all wishes; " + d.NearestText()
}

// NearestText is the nearest on each side.
func (d *Document) NearestText() string {
	var all []string
	for _, i := range d.Nearest {
		r := &d.Rows[i]
		all = append(all, fmt.Sprintf("%s %s: %s", d.side(&r.Fitted), r.label(), d.does(r)))
	}
	return strings.Join(all, "; ")
}

// side is which of the wishes is kept by what is nearest.
func (d *Document) side(f *Figures) string {
	switch {
	case d.Wishes.RefuseAtMost != nil && d.Wishes.spares(f):
		return "what refuses so few comes nearest with"
	case d.Wishes.Protect != nil && d.Wishes.protects(f):
		return "what protects the backend comes nearest with"
	}
	return "nearest is"
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
	return fmt.Sprintf("%s | %s of %s refused, %s %d | %d (fitted | held out)", d.inFull(&r.Fitted),
		d.inFull(&r.HeldOut), d.Wishes.Of, d.worstWords(), r.Fitted.WorstSecond, r.HeldOut.WorstSecond)
}

// refused is the share that is.
func (d *Document) refused(f *Figures) string {
	n, of := d.Wishes.refused(f)
	if of == 0 {
		return sheet.Absent
	}
	if e := d.Wishes.estimate(f); e != nil && d.leavesOut() {
		return e.brief()
	}
	return sheet.Percent(share(n, of))
}

func (d *Document) notes() []sheet.Line {
	text := d.Wishes.Of + " refused: by runs of the models"
	if exactly := d.onCurves(); exactly != nil {
		curves := "exact curves"
		if d.leavesOut() {
			curves = "curves"
		}
		text = fmt.Sprintf("%s refused: of %s by %s, else by runs of the models", d.Wishes.Of,
			message.Enumerate(exactly), curves)
	}
	lines := append([]string{text + "; worst seconds: by runs"}, d.sampleNotes()...)
	for _, n := range d.Notes {
		lines = append(lines, "note: "+n)
	}
	return sheet.Items(lines...)
}

// onCurves are the algorithms of which exact curves say what the wishes ask.
func (d *Document) onCurves() (names []string) {
	for i := range d.Rows {
		r := &d.Rows[i]
		from := r.UsersFrom
		if d.Wishes.Of == Requests {
			from = r.RequestsFrom
		}
		if from == curve && !slices.Contains(names, r.Algorithm) {
			names = append(names, r.Algorithm)
		}
	}
	return names
}
