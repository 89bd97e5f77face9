package accesslog

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Log is what a pass over a whole log found. Times are in microseconds, since 1970 but for EndUS.
type Log struct {
	Files            []*Found
	Requests, Spread int64 // and how many of them were given a place within their second
	FirstUS, LastUS  int64
	EndUS            int64 // where the last request's second, or microsecond, ends, since FirstUS
	Bad              int64 // lines that are no requests
	Shown            []string
	Key              string // of all requests; "": there are several
	Empty            int    // files
}

// Found is what was found out about a file of a log, or about some of its lines.
type Found struct {
	Name       string
	Format     Format
	Notes      []Note // the place in the list says what about
	Lines      int64
	Requests   int64
	OutOfOrder int64
	QuotesGoOn bool     // over the end of a line, of a Piece
	Bad        int64    // of a Piece
	Shown      []string // the first of them, with name and number
}

// Note is true of N lines, or of no lines in particular where N is 0.
type Note struct {
	N    int64
	Text string
}

// String is empty where nothing is to be noted.
func (n Note) String() string {
	if n.N > 0 {
		return message.Count(n.N, "line") + message.Verb(int(n.N), " has ", " have ") + n.Text
	}
	return n.Text
}

// tell adds what was found of a log to what a stream tells. lasts is the duration of its phase; 0: as long as the log.
func (t Trace) tell(l *Log, lasts time.Duration, found *traffic.Pass) {
	found.EndUS += cmp.Or(lasts.Microseconds(), l.EndUS)
	found.Spread += l.Spread
	if l.FirstUS >= firstDateUS && cmp.Or(t.Speed, 1) == 1 {
		found.FirstUS, found.LastUS = l.FirstUS, l.LastUS
	}
	add := func(format string, args ...any) {
		found.Notes = append(found.Notes, message.Path(t.Title())+": "+fmt.Sprintf(format, args...))
	}
	var seen, outOfOrder int64
	for _, f := range l.Files {
		seen += f.Requests
		outOfOrder += f.OutOfOrder
		if !slices.Contains(found.Formats, string(f.Format)) {
			found.Formats = append(found.Formats, string(f.Format))
		}
		for _, note := range f.Notes { // what is true of several is said once, of the first
			text := note.String()
			said := func(note string) bool { return strings.HasSuffix(note, ": "+text) }
			if text != "" && !slices.ContainsFunc(found.Notes, said) {
				found.Notes = append(found.Notes, filepath.Base(f.Name)+": "+text)
			}
		}
	}
	if l.Spread > 0 {
		add("%d of %d requests share a whole second with others of their key; they were spread evenly over it "+
			"(within_second: even)", l.Spread, l.Requests)
	}
	if n := int(l.Bad); n > 0 {
		shown := l.Shown
		if n > len(shown) {
			shown = append(slices.Clip(shown), "…")
		}
		add("%s %s left out that %s: %s", message.Count(n, "line"), message.Verb(n, "was", "were"),
			message.Verb(n, "is no request", "are no requests"), strings.Join(shown, "; "))
	}
	switch {
	case l.Key == "" || l.Requests < 2:
	case t.Key == NoKey:
	case l.Key == string(oneKey):
		add("all %d requests are under one limit: --trace-key names the column or field that tells clients apart",
			l.Requests)
	default:
		add("all %d requests are of one client, %s: is that a proxy or a virtual host in front? --trace-key takes "+
			"another field", l.Requests, message.Quote(l.Key))
	}
	if l.Empty > 0 {
		add("%s %s left out that %s empty", message.Count(l.Empty, "file"), message.Verb(l.Empty, "was", "were"),
			message.Verb(l.Empty, "is", "are"))
	}
	if outOfOrder > 0 {
		add("%d of %d lines were out of order and were sorted", outOfOrder, seen)
	}
}
