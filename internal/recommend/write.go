package recommend

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// widestName is the width of a limiter's name beside columns of users: sliding-window-buckets and a comma.
const widestName = 23

// Forms are the formats of an answer.
var Forms = report.Formats{Sheet: sheet, Width: 80, CSV: writeCSV}

// writeCSV writes a line for each row of each answer, the pick first.
func writeCSV(w io.Writer, d *result.Document) error {
	header := []string{"contract", "rank", "limiter", "guarantee", "lost", "bytes_per_key", "instructions", "work",
		"worst_traffic", "worst_lost", "users_rejected", "users_rejected_needlessly"}
	lines := [][]string{header}
	for _, a := range d.Answers {
		for i, r := range a.Rows {
			lines = append(lines, []string{a.Limit.Contract.String(), strconv.Itoa(i + 1), r.Limiter,
				report.Float(r.Guarantee), report.Float(r.Lost), report.Float(r.BytesPerKey),
				report.Float(r.Instructions), report.Float(r.Work), r.WorstTraffic, report.Float(r.WorstLost),
				report.Integer(r.UsersRejected), report.Integer(r.UsersNeedlessly)})
		}
	}
	return report.WriteCSV(w, lines)
}

func sheet(d *result.Document) report.Sheet {
	if len(d.Answers) == 1 {
		return report.Sheet{one(d)}
	}
	return report.Sheet{both(d)}
}

// both returns the pick under each contract, and how to choose between them.
func both(d *result.Document) report.Part {
	first := d.Answers[0].Limit
	span := report.Span(first.WindowUS)
	p := report.Part{Lead: []report.Line{{Text: fmt.Sprintf("%q can mean two things. Which one must hold?",
		fmt.Sprintf("%d per %s", first.Requests, span))}, tried(d)}}
	t := report.Table{Columns: append([]report.Column{{Name: "what must hold", Words: true,
		Widest: 24, Break: report.BreakWords}, {Name: "take", Words: true}}, report.Numbers("lost", "bytes/key")...)}
	var picks []result.Price
	for _, a := range d.Answers {
		picks = append(picks, a.Rows[0])
	}
	p.Tables = filled(t, 1, d, picks, func(i int, r *result.Price) []string {
		return []string{inWords(d.Answers[i].Limit.Policy()), shown(r.Limiter), lost(r), inBytes(r.BytesPerKey)}
	})
	choice := fmt.Sprintf("Take the first if something breaks above %d in %s, such as a quota further up. Take the "+
		"second to share capacity; it admits %s.", first.Requests, span, mostInWindow(d.Answers[1].Limit.Policy()))
	if first.Requests == 1 {
		choice = "At one request per window both are the same contract."
	}
	notes := []string{"Each keeps it on any traffic. Lost: what an exact limiter admits and this one rejects.", choice,
		"How to call it, and all candidates: --contract window, or --contract bucket (--burst N for another burst)."}
	if d.Answers[0].Usual != nil {
		notes = append(notes, fmt.Sprintf("fixed-window at %d keeps neither. sliding-window-counter keeps the "+
			"second only. Each may admit %d in %s.", first.Requests, 2*first.Requests-1, span))
	}
	for i := range picks {
		notes = append(notes, standardPrice(&picks[i], d.Traffic)...)
	}
	notes = append(slices.Concat(notes, twice(&p.Tables[0]), examined(d)), d.Notes...)
	if d.Traffic.Standard {
		notes = append(notes, "--trace LOG tries your traffic.")
	}
	p.Notes = report.Items(notes...)
	return p
}

// mostInWindow describes how much a bucket admits in one window. It returns "" for a window contract.
func mostInWindow(p limit.Policy) string {
	if p.Contract == limit.ByWindow {
		return ""
	}
	return fmt.Sprintf("up to %d in any %s", p.Capacity()+p.Requests-1, report.Span(p.WindowUS()))
}

// filled returns a table with its rows. It adds a column for the standard set if a row loses much there. For a log it
// adds columns of users instead, and the names of limiters are narrower.
func filled(t report.Table, names int, d *result.Document, rows []result.Price,
	cells func(int, *result.Price) []string) []report.Table {
	standard := !d.Traffic.Standard && !d.Traffic.Recorded && slices.ContainsFunc(rows, func(r result.Price) bool {
		return r.LostUsually > worthSaying
	})
	if standard {
		t.Columns = append(t.Columns, report.Numbers("lost on\nstandard")...)
	}
	if d.Traffic.Recorded {
		t.Columns[names].Widest, t.Columns[names].Break = widestName, report.BreakWords
		t.Tight = true
		t.Columns = append(t.Columns, report.Numbers("users\nrejected", "not by\nexact")...)
	}
	for i := range rows {
		r := &rows[i]
		all := cells(i, r)
		if standard {
			all = append(all, report.Percent(r.LostUsually))
		}
		all = append(all, either(r.UsersRejected, r.RejectedOtherwise, report.Integer),
			either(r.UsersNeedlessly, r.NeedlesslyOtherwise, report.Integer))
		t.Rows = append(t.Rows, report.TableRow{Cells: report.Cells(all[:len(t.Columns)]...)})
	}
	return []report.Table{t}
}

// tried describes the traffic of the figures.
func tried(d *result.Document) report.Line {
	t := d.Traffic
	text := fmt.Sprintf("tried on %d standard traffics", len(t.Names))
	if !t.Standard {
		text = fmt.Sprintf("tried on %s: %s of %s", message.Enumerate(t.Names),
			message.Count(t.Requests, "request"), message.Count(t.Keys, "key"))
		if t.StartUS != 0 {
			text += report.When(t.StartUS, t.DurationUS, "")
		}
	}
	if d.Examinations != nil {
		text += "; scripts: " + report.ServerWords(*d.Examinations[0].Server)
	}
	return report.Line{Text: text, Style: report.Faint}
}

// one returns the rows under the contract that the user named.
func one(d *result.Document) report.Part {
	a := &d.Answers[0]
	what := inWords(a.Limit.Policy())
	if most := mostInWindow(a.Limit.Policy()); most != "" {
		what += "; " + most
	}
	p := report.Part{Lead: []report.Line{{Text: fmt.Sprintf("Take %s: %s.", shown(a.Rows[0].Limiter), what)},
		tried(d)}}
	t := report.Table{Columns: append([]report.Column{{Name: "limiter", Words: true}}, report.Numbers("guarantee",
		"lost", "work", "bytes/key")...)}
	p.Tables = filled(t, 0, d, a.Rows, func(_ int, r *result.Price) []string {
		return []string{shown(r.Limiter), report.Times(r.Guarantee), lost(r), fmt.Sprintf("%.2f", r.Work),
			inBytes(r.BytesPerKey)}
	})
	notes := append(slices.Concat(about(a, d.Traffic), twice(&p.Tables[0]), examined(d)), d.Notes...)
	p.Notes = report.Items(append(notes, next(d.Traffic, a)...)...)
	return p
}

// standardPrice describes what a row loses on the standard set if that is much and the table is a log's, which has no
// column for it.
func standardPrice(r *result.Price, t *result.Traffic) []string {
	if !t.Recorded || r.LostUsually <= worthSaying {
		return nil
	}
	return []string{fmt.Sprintf("On the standard traffics %s loses %s.", shown(r.Limiter),
		report.Percent(r.LostUsually))}
}

// about returns other facts about the rows.
func about(a *result.Answer, t *result.Traffic) []string {
	var notes []string
	switch n := len(a.Alike); n {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("%s decides alike, at %s bytes a key.", shown(a.Alike[0].Limiter),
			inBytes(a.Alike[0].BytesPerKey)))
	default: // sorted by bytes among equal losses, and these rows lose the same
		notes = append(notes, fmt.Sprintf("%d others decide alike here, at %s to %s bytes a key.", n,
			inBytes(a.Alike[0].BytesPerKey), inBytes(a.Alike[n-1].BytesPerKey)))
	}
	for _, r := range a.Rows {
		if r.Limiter == algorithms.Exact(a.Limit.Contract).Label {
			notes = append(notes, r.Limiter+" is exact by definition: it rejects only what breaks the contract.")
		}
	}
	if r := &a.Rows[0]; t.Standard && r.WorstLost > 0 {
		notes = append(notes, fmt.Sprintf("%s loses most on %s: %s.", shown(r.Limiter), r.WorstTraffic,
			report.Percent(r.WorstLost)))
	}
	for i := range a.Rows {
		r := &a.Rows[i]
		notes = append(notes, standardPrice(r, t)...)
		if r.UsersNeedlessly > 0 && !t.Recorded {
			notes = append(notes, fmt.Sprintf("%s rejects %s that an exact limiter never rejects.", shown(r.Limiter),
				message.Count(r.UsersNeedlessly, "user")))
		}
		if r.BytesFull > fullIsMuch*r.BytesPerKey {
			notes = append(notes, fmt.Sprintf("%s takes up to %s a key if requests cost 1.", shown(r.Limiter),
				amount(r.BytesFull)))
		}
	}
	if r := a.Nearly; r != nil {
		notes = append(notes, fmt.Sprintf("%s loses %s, and takes a %s of the bytes x work of %s.", shown(r.Limiter),
			report.Percent(r.Lost), fraction(a.NearlyTimes), shown(a.Rows[0].Limiter)))
	}
	var usual []string
	p := a.Limit.Policy()
	for _, u := range a.Usual {
		switch {
		case p.Contract == limit.ByWindow:
			usual = append(usual, fmt.Sprintf("%s (%s x here)", u.Limiter, report.Times(u.Peak)))
		case p.Capacity() < p.Requests:
			usual = append(usual, u.Limiter)
		default:
			usual = append(usual, fmt.Sprintf("%s (%s of its admissions are beyond it here)", u.Limiter,
				report.Percent(u.Beyond)))
		}
	}
	switch most := "on other traffic up to 2 x the limit"; {
	case len(usual) == 0:
	case p.Contract == limit.ByBucket && p.Capacity() < p.Requests:
		most = fmt.Sprintf("%d at once", p.Requests)
		fallthrough
	default:
		notes = append(notes, fmt.Sprintf("Not this contract: %s; %s.", message.Enumerate(usual), most))
	}
	return notes
}

// fullIsMuch is how many times larger than in this traffic a full key must be to be mentioned.
const fullIsMuch = 10

// amount formats a number of bytes with a unit.
func amount(bytes float64) string {
	switch {
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", bytes/1e6)
	case bytes >= 1e4:
		return fmt.Sprintf("%.0f kB", bytes/1e3)
	}
	return fmt.Sprintf("%.0f bytes", bytes)
}

// fraction returns one part of n in words, for n of 3 or more.
func fraction(n float64) string {
	words := []string{"third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	return words[min(len(words)-1, int(n)-3)]
}

// examined describes the findings about users' own scripts.
func examined(d *result.Document) []string {
	var notes []string
	for _, x := range d.Examinations {
		span := report.Span(x.Limit.WindowUS)
		text := fmt.Sprintf("admits up to %d in %s under %d/%[2]s, as far as examined", x.Worst, span, x.Limit.Requests)
		switch {
		case x.NotExamined != "":
			text = "not examined, because " + x.NotExamined
		case x.Faults() > 0:
			text += "; " + x.Findings[0].String()
		}
		notes = append(notes, fmt.Sprintf("%s, whose guarantee is unknown: %s.", x.Algorithm, text))
	}
	return notes
}

// twice explains figures with two values, if the table has any.
func twice(t *report.Table) []string {
	for _, row := range t.Rows {
		if slices.ContainsFunc(row.Cells, func(c report.Cell) bool { return strings.Contains(c.Text, " or ") }) {
			return []string{"Two figures: whole seconds spread evenly or all at once, the smaller first."}
		}
	}
	return nil
}

// next returns how the pick is called, and the next command.
func next(t *result.Traffic, a *result.Answer) []string {
	all := []string{fmt.Sprintf("script: %s (its header names the arguments), KEYS[1] = your key, ARGV = ''%s",
		a.Script, strings.Join(a.Arguments, " "))}
	if a.RedisRate != "" {
		all = append(all, "redis_rate: "+a.RedisRate+" decides alike")
	}
	p := a.Limit.Policy()
	limits := fmt.Sprintf("--limit %d/%s", p.Requests, report.Span(p.WindowUS()))
	if p.Contract == limit.ByBucket && p.Capacity() != p.Requests {
		limits += fmt.Sprintf(" --burst %d", p.Capacity())
	}
	if p.Contract == limit.ByBucket {
		limits += " --contract bucket"
	}
	what := strings.Join(t.Names, " ") + " "
	if t.Standard || t.Recorded {
		what = ""
		limits += " --trace LOG"
	}
	return append(all, fmt.Sprintf("next: simulate %s-a %s %s", what, a.Rows[0].Limiter, limits))
}

func lost(r *result.Price) string { return either(r.Lost, r.LostOtherwise, report.Percent) }

// either formats a figure under both readings of whole seconds, if the log has them.
func either[N int64 | float64](n N, otherwise *N, shown func(N) string) string {
	if otherwise == nil || shown(*otherwise) == shown(n) {
		return shown(n)
	}
	return strings.TrimSuffix(shown(min(n, *otherwise)), " %") + " or " + shown(max(n, *otherwise))
}

func inBytes(n float64) string { return fmt.Sprintf("%.0f", n) }

// shown returns a limiter's name for people.
func shown(label string) string {
	parts := algorithms.Of(label).InRole(algorithms.Parts)
	if parts == nil {
		return label
	}
	name, n, _ := strings.Cut(label, ":"+parts.Name+"=")
	return name + ", " + cmp.Or(n, parts.Default) + " parts"
}

// inWords describes a contract in words.
func inWords(p limit.Policy) string {
	span := report.Span(p.WindowUS())
	if p.Contract == limit.ByWindow {
		return fmt.Sprintf("never more than %d in any %s", p.Requests, span)
	}
	return fmt.Sprintf("%d per %s on average, at most %d at once", p.Requests, span, p.Capacity())
}
