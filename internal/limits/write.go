package limits

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Forms are the formats of the document.
var Forms = report.Formats{Sheet: sheet, CSV: writeCSV, Verdicts: verdicts}

// verdicts returns the verdict about a change of limits, with a comparison for each reading of the log.
func verdicts(d *result.Document) []result.Verdict {
	g := result.Gate{Name: "newly rejected", Outcome: result.Noted}
	limits := d.Users[0].Limits
	v := result.Verdict{Base: written(limits[0]), Head: written(limits[1])}
	for _, u := range d.Users {
		c := u.Change
		j := result.Judgement{Limiter: v.Base + " -> " + v.Head, Where: u.WithinSecond, Measure: "newly_rejected",
			Base: *c.Most, Head: c.NewlyRejected, Outcome: result.Same, Statement: fmt.Sprintf(
				"%s newly rejected; --max-newly-rejected allows %s", message.Grouped(c.NewlyRejected),
				message.Grouped(*c.Most))}
		if c.NewlyRejected > *c.Most {
			j.Outcome = result.Regression
		}
		g.Add(j)
	}
	v.Gates = []result.Gate{g}
	v.Conclude()
	return []result.Verdict{v}
}

// writeCSV compares two limits if there are two: it writes a line for each client for which they decide differently.
// Otherwise it writes a line for each limit, and for each of several limits on one request. Without limits, it writes a
// line for each limit of the frontier.
func writeCSV(w io.Writer, d *result.Document) error {
	if d.InFlight != nil {
		return writeInFlight(w, d)
	}
	header := []string{"requests", "window_us", "burst", "contract", "rejected", "rejected_share", "clients",
		"clients_share", "within_second"}
	switch {
	case d.Frontier != nil:
		header = []string{"rate", "window_us", "of", "share", "limit", "busiest_second", "within_second"}
	case d.Users[0].Change != nil:
		header = []string{"client", "asked", "rejected_old", "rejected_new", "newly_rejected", "no_longer_rejected",
			"first_us", "last_us", "within_second"}
	}
	several := slices.ContainsFunc(d.Users[0].Limits, func(t result.Rejected) bool { return t.Limits != nil })
	var blank []string // the empty cells of a single limit, if another policy has several limits
	if several && d.Users[0].Change == nil {
		header = append(header, "rejected_requests", "limits", "name", "counts", "key", "refused", "refused_alone")
		blank = make([]string, 7)
	}
	all := [][]string{header}
	for _, u := range d.Users {
		if u.Change != nil {
			for _, c := range u.Change.Who {
				line := []string{c.Key}
				for _, n := range []int64{c.Asked, c.RejectedOld, c.RejectedNew, c.NewlyRejected, c.NoLongerRejected,
					c.FirstUS, c.LastUS} {
					line = append(line, report.Integer(n))
				}
				all = append(all, append(line, u.WithinSecond))
			}
			continue
		}
		for _, t := range u.Limits {
			line := func(l result.Limit, more ...string) {
				all = append(all, append([]string{report.Integer(l.Requests), report.Integer(l.WindowUS),
					report.Integer(l.Burst), l.Contract.String(), report.Integer(t.Rejected),
					report.Float(report.Share(t.Rejected, d.Traffic.Cost)), report.Integer(t.Clients),
					report.Float(report.Share(t.Clients, d.Traffic.Keys)), u.WithinSecond}, more...))
			}
			for _, l := range t.Limits {
				line(l.Limit, report.Integer(t.RejectedRequests), written(t), l.Name, l.Counts,
					report.Integer(int64(l.Key)), report.Integer(l.Refused), report.Integer(l.RefusedAlone))
			}
			if t.Limits == nil {
				line(t.Limit, blank...)
			}
		}
	}
	for _, f := range d.Frontier {
		for i, l := range slices.Concat(f.Clients, f.Requests) {
			all = append(all, []string{report.Integer(f.Rate), report.Integer(f.WindowUS),
				[]string{"clients", "requests"}[i/len(perMille)], report.Float(l.Share), report.Integer(l.Limit),
				report.Integer(l.BusiestSecond), f.WithinSecond})
		}
	}
	return report.WriteCSV(w, all)
}

func sheet(d *result.Document) report.Sheet {
	p := newPage(d)
	lead := fmt.Sprintf("%s of %s%s", counted(p.Requests, "request"), counted(p.Keys, "client"),
		report.When(p.StartUS, p.DurationUS, report.Briefly(p.DurationUS)))
	if p.Format != "" {
		lead += " (" + p.Format + ")"
	}
	if p.Cost != p.Requests {
		lead += "; cost " + message.Grouped(p.Cost)
	}
	all := report.Sheet{{Lead: []report.Line{{Text: lead}}}}
	var last []string
	if d.InFlight != nil {
		all[0].Tables = p.inFlight()
		if p.differ != "" {
			last = append(last, `Whole seconds: in the first "or" `+p.differ+".")
		}
		return append(all, report.Part{Notes: report.Items(last...)})
	}
	next := "recommend --limit N/1m"
	limits := d.Users[0].Limits
	if len(limits) > 0 {
		next = flags(limits[len(limits)-1])
	}
	switch {
	case d.Users[0].Change != nil:
		all = append(all, p.changed())
		if most := d.Users[0].Change.Most; most != nil {
			verdict := "At most " + message.Grouped(*most) + " may be newly rejected: ok."
			if Exceeded(d) != nil {
				verdict = "At most " + message.Grouped(*most) + " may be newly rejected: exceeded, exit 1."
			}
			last = append(last, verdict)
		}
	case d.Frontier != nil:
		all[0].Tables = []report.Table{p.used(), p.frontier()}
		last = append(last, p.backend(), "Next: simulate limits --limit N/1m --trace FILE        who would be rejected")
	default:
		all[0].Tables = []report.Table{p.used()}
		for i := range limits {
			all = append(all, p.touched(i))
		}
	}
	if p.differ != "" {
		text := `Whole seconds: in the first "or" ` + p.differ
		if d.Users[0].Change != nil {
			text += "; the worse decides"
		}
		last = append([]string{text + "."}, last...)
	}
	last = append(last, fmt.Sprintf("Next: simulate %s --trace FILE     by which limiter", next))
	return append(all, report.Part{Notes: report.Items(last...)})
}

// flags returns the command and the flags with which to try a limit next.
func flags(l result.Rejected) string {
	text := fmt.Sprintf("recommend --limit %d/%s", l.Requests, report.Span(l.WindowUS))
	switch {
	case l.Limits != nil:
		return "--limit " + written(l)
	case l.Contract == limit.ByBucket && l.Burst != l.Requests:
		text += fmt.Sprintf(" --burst %d", l.Burst)
	case l.Contract == limit.ByBucket:
		text += " --contract bucket"
	}
	return text
}

// written returns one limit as people read it, or several limits as --limit reads them.
func written(t result.Rejected) string {
	if t.Limits == nil {
		return t.Limit.String()
	}
	var texts []string
	for _, l := range t.Limits {
		texts = append(texts, word(l))
	}
	return strings.Join(texts, "+")
}

// word returns one of several limits as --limit reads it.
func word(l result.Refusing) string {
	window := l.NamedLimit
	window.Burst, window.Contract = 0, limit.ByWindow
	text := window.String()
	if l.Contract == limit.ByBucket {
		text += fmt.Sprintf(":burst=%d", l.Burst)
	}
	if l.Short() == l.Name {
		text += ":name=" + l.Name
	}
	return text
}

// page is the document as the tables show it. A figure that depends on the reading has two values.
type page struct {
	*result.Traffic
	readings []reading
	differ   string // describes the two readings of the first such figure
}

// reading is one reading of the log.
type reading struct {
	result.Users
	frontier []result.Frontier
	inFlight result.InFlight
}

func newPage(d *result.Document) *page {
	p := &page{Traffic: d.Traffic}
	for _, f := range d.InFlight {
		p.readings = append(p.readings, reading{inFlight: f})
	}
	each := len(d.Frontier) / max(1, len(d.Users))
	for i, u := range d.Users {
		p.readings = append(p.readings, reading{Users: u, frontier: d.Frontier[i*each : (i+1)*each]})
	}
	return p
}

// cells joins the cells of the readings. If two figures differ, the smaller comes first. Two times that differ have the
// same order as the figures before them.
func (p *page) cells(of func(*reading) []string) []string {
	cells := of(&p.readings[0])
	swap := false
	for i, b := range of(&p.readings[len(p.readings)-1]) {
		a := cells[i]
		if a == b {
			continue
		}
		x, err := strconv.ParseFloat(strings.Trim(a, " %<>"), 64)
		y, err2 := strconv.ParseFloat(strings.Trim(b, " %<>"), 64)
		if err == nil && err2 == nil && x != y {
			swap = y < x
			p.differ = cmp.Or(p.differ, a+" if spread evenly, "+b+" if all at once")
		}
		if swap && a != report.Absent || b == report.Absent {
			a, b = b, a
		}
		cells[i] = a + " or " + b
	}
	return cells
}

func (p *page) row(of func(*reading) []string) report.TableRow {
	return report.TableRow{Cells: report.Cells(p.cells(of)...)}
}

// used returns the table of the clients' busiest windows.
func (p *page) used() report.Table {
	t := report.Table{Bare: true, Columns: []report.Column{{Name: "most in any", Words: true}}}
	t.Columns = append(t.Columns, report.Numbers("p50", "p99", "p99.9", "most")...)
	t.Columns = append(t.Columns, report.Column{Name: "by", Words: true, Narrowest: 12})
	for i := range Windows {
		t.Rows = append(t.Rows, p.row(func(r *reading) []string {
			w := r.Windows[i]
			return []string{report.Span(w.WindowUS), report.Integer(w.P50), report.Integer(w.P99),
				report.Integer(w.P999),
				report.Integer(w.Most), message.Shown(p.readings[0].Windows[i].MostKey)}
		}))
	}
	return t
}

// frontier returns the table of the least limits. The limit that rejects no client also rejects no request, so it is
// shown once.
func (p *page) frontier() report.Table {
	t := report.Table{Bare: true, Columns: []report.Column{{Group: "the least limit", Name: "that rejects",
		Words: true}}}
	for i, name := range []string{"0%", "0.1%", "1%", "5%"} {
		t.Columns = append(t.Columns, report.Column{Group: "of the clients", Name: name, Leaves: min(i, 1)})
	}
	for _, c := range t.Columns[2 : 2+3*(p.Requests/p.Cost)] { // no columns if costs differ from 1
		t.Columns = append(t.Columns, report.Column{Group: "of the requests", Name: c.Name, Leaves: 2})
	}
	for i := range p.readings[0].frontier {
		t.Rows = append(t.Rows, p.row(func(r *reading) []string {
			f := r.frontier[i]
			row := []string{"per " + report.Span(f.WindowUS)}
			if f.Rate > 0 {
				row[0] = fmt.Sprintf("burst at %d/%s", f.Rate, report.Span(f.WindowUS))
			}
			for _, l := range slices.Concat(f.Clients, f.Requests[min(1, len(f.Requests)):]) {
				text := report.Integer(l.Limit)
				if f.Rate > 0 && l.Limit > limit.MaxRequests {
					text = ">" + report.Integer(limit.MaxRequests)
				}
				row = append(row, text)
			}
			return row
		}))
	}
	return t
}

// backend returns a line with the busiest second of all clients together: of all requests, and under each limit that
// rejects requests of 5 % of the clients.
func (p *page) backend() string {
	at := p.cells(func(r *reading) []string {
		cells := []string{report.Integer(r.frontier[0].Clients[0].BusiestSecond)}
		for i := range Windows {
			cells = append(cells, report.Integer(r.frontier[i].Clients[len(perMille)-1].BusiestSecond))
		}
		return cells
	})
	return fmt.Sprintf("Busiest second: %s; under the 5%% limits: %s (1s), %s (1m), %s (1h)", at[0], at[1], at[2],
		at[3])
}

// rejects returns a line that says how much a limit rejects, and of how many clients. If there are several limits, a
// line for each of them follows.
func (p *page) rejects(i int) (lines []report.Line) {
	all := p.cells(func(r *reading) []string {
		t := r.Limits[i]
		return []string{report.Integer(t.Rejected), report.Percent(report.Share(t.Rejected, p.Cost)),
			report.Integer(t.Clients), report.Integer(t.RejectedRequests)}
	})
	t, requests := p.readings[0].Limits[i], ""
	if t.Limits != nil && p.Cost != p.Requests {
		requests = fmt.Sprintf(" in %s of %s", all[3], counted(p.Requests, "request"))
	}
	lines = append(lines, report.Line{Text: fmt.Sprintf("%s rejects %s of %s (%s)%s, of %s of %s", written(t), all[0],
		message.Grouped(p.Cost), all[1], requests, all[2], counted(p.Keys, "client"))})
	for j, l := range t.Limits {
		by := p.cells(func(r *reading) []string {
			l := r.Limits[i].Limits[j]
			return []string{report.Integer(l.Refused), report.Integer(l.RefusedAlone)}
		})
		lines = append(lines, report.Line{Text: fmt.Sprintf("requests refused by %s: %s (%s alone)", l.Short(), by[0],
			by[1])})
	}
	return lines
}

// refusedBy lists the limits that refuse requests of a client, with the number of requests.
func refusedBy(t result.Rejected, c result.Client) string {
	var texts []string
	for _, l := range t.Limits {
		if n := c.Refused[l.Name]; n > 0 {
			texts = append(texts, l.Short()+" "+report.Integer(n))
		}
	}
	return cmp.Or(strings.Join(texts, ", "), report.Absent)
}

// touched returns the part of the page with what a limit rejects, by client.
func (p *page) touched(i int) report.Part {
	g := report.Table{Bare: true, Columns: []report.Column{{Name: "top clients", Words: true, Narrowest: 12},
		{Name: "asked"}, {Name: "rejected"}, {Name: "first", Words: true}, {Name: "last", Words: true},
		{Name: "refused by", Words: true, Narrowest: 12}}}
	lead := p.rejects(i)
	shown := 5 + min(1, len(p.readings[0].Limits[i].Limits)) // the last column is only for several limits
	g.Columns = g.Columns[:shown]
	for j := range p.readings[0].Limits[i].Who {
		g.Rows = append(g.Rows, p.row(func(r *reading) []string {
			c := r.Limits[i].Who[j]
			return []string{message.Shown(c.Key), report.Integer(c.Asked), report.Integer(c.Rejected),
				p.at(c.Rejected, c.FirstUS), p.at(c.Rejected, c.LastUS), refusedBy(r.Limits[i], c)}[:shown]
		}))
	}
	return report.Part{Lead: lead, Tables: []report.Table{g}}
}

// changed returns the part of the page with what the second limit newly rejects, by client.
func (p *page) changed() report.Part {
	all := p.cells(func(r *reading) []string {
		c := r.Change
		return []string{report.Integer(c.NewlyRejected), report.Percent(report.Share(c.NewlyRejected, p.Cost)),
			report.Integer(c.Clients), report.Integer(c.ClientsNewly), report.Integer(c.NoLongerRejected),
			report.Integer(c.ClientsNoLonger)}
	})
	newly := fmt.Sprintf("newly rejected: %s (%s), of %s; of %s nothing was rejected before", all[0], all[1],
		clients(all[2]), all[3])
	noLonger := fmt.Sprintf("no longer rejected: %s; of %s nothing is rejected any more", all[4], clients(all[5]))
	part := report.Part{Lead: slices.Concat([]report.Line{{Text: newly}, {Text: noLonger}}, p.rejects(0), p.rejects(1))}
	t := report.Table{Bare: true, Columns: []report.Column{{Name: "client", Words: true, Narrowest: 12},
		{Name: "asked"}, {Group: "rejected", Name: "old"}, {Group: "rejected", Name: "new"}, {Name: "newly"},
		{Name: "no longer"}, {Name: "first newly", Words: true}}}
	who := p.readings[0].Change.Who
	for i := range who[:min(len(who), mostNamed)] {
		t.Rows = append(t.Rows, p.row(func(r *reading) []string {
			c := r.Change.Who[i]
			return []string{message.Shown(c.Key), report.Integer(c.Asked), report.Integer(c.RejectedOld),
				report.Integer(c.RejectedNew), report.Integer(c.NewlyRejected), report.Integer(c.NoLongerRejected),
				p.at(c.NewlyRejected, c.FirstUS)}
		}))
	}
	part.Tables = []report.Table{t}
	if more := len(who) - mostNamed; more > 0 {
		part.Notes = report.Items(fmt.Sprintf("%s more; --format csv has all.", message.Count(more, "client")))
	}
	return part
}

// clients returns a count with its noun: 1 client, 0 or 2 clients.
func clients(count string) string {
	if count == "1" {
		return "1 client"
	}
	return count + " clients"
}

// at formats the time of a rejection: as a date, or as the time since the start if the log has no date.
func (p *page) at(rejected, us int64) string {
	switch {
	case rejected == 0:
		return report.Absent
	case p.StartUS == 0:
		return report.Briefly(us)
	}
	return time.UnixMicro(p.StartUS + us).UTC().Format("2 Jan 15:04:05")
}

// counted formats a number with its noun: 10,000 requests.
func counted(n int64, what string) string {
	text := message.Count(n, what)
	return message.Grouped(n) + text[strings.IndexByte(text, ' '):]
}
