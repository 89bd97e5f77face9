package accesslog

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Log has the findings of one pass over a whole log. Times are in microseconds since 1970, except EndUS.
type Log struct {
	Files            []*Found
	Requests, Spread int64 // Spread counts requests that were given another place within their second
	FirstUS, LastUS  int64
	EndUS            int64 // the end of the last request's second, or microsecond, since FirstUS
	Bad              int64 // lines that are not requests
	Shown            []string
	Key              string // the key if all requests have the same; "": there are several
	Empty            int    // the number of empty files
	Clients          int    // the number of different keys, counted up to fewClients + 1
}

// fewClients is the most clients that are probably proxies.
const fewClients = 64

// Found has the findings about a file of a log, or about a piece of one.
type Found struct {
	Name       string
	Format     Format
	Notes      []Note // the index says what a note is about
	Lines      int64
	Requests   int64
	OutOfOrder int64
	QuotesGoOn bool     // a quote continues on the next line; for a Piece
	Bad        int64    // the number of bad lines; for a Piece
	Shown      []string // the first of the bad lines, with file name and line number
}

// Note is a remark about N lines, or about the whole file if N is 0.
type Note struct {
	N    int64
	Text string
}

// String returns the note as text, or "" if there is nothing to note.
func (n Note) String() string {
	if n.N > 0 {
		return message.Count(n.N, "line") + message.Verb(int(n.N), " has ", " have ") + n.Text
	}
	return n.Text
}

// end ends the play with err, and adds the findings about the log to those of the stream.
func (p *player) end(err error, found *traffic.Pass) error {
	if err != nil && err != errEnough {
		return err
	}
	found.EndUS += cmp.Or(p.lasts.Microseconds(), p.EndUS)
	found.Spread += p.Spread
	if p.FirstUS >= firstDateUS && p.speed == 1 {
		found.FirstUS, found.LastUS = p.FirstUS, p.LastUS
	}
	add := func(format string, args ...any) {
		found.Notes = append(found.Notes, message.Path(p.trace.Title())+": "+fmt.Sprintf(format, args...))
	}
	var seen, outOfOrder int64
	for _, f := range p.Files {
		seen += f.Requests
		outOfOrder += f.OutOfOrder
		if !slices.Contains(found.Formats, string(f.Format)) {
			found.Formats = append(found.Formats, string(f.Format))
		}
		for i, note := range f.Notes { // the same note about several files is shown once, for the first
			if i == 1+forwarded && p.Clients > fewClients {
				continue
			}
			text := note.String()
			said := func(note string) bool { return strings.HasSuffix(note, ": "+text) }
			if text != "" && !slices.ContainsFunc(found.Notes, said) {
				found.Notes = append(found.Notes, filepath.Base(f.Name)+": "+text)
			}
		}
	}
	if span := p.LastUS - p.FirstUS; p.long.takes > max(span, 60_000_000) {
		add("line %d takes %s, and the whole log lasts %s: is it the right field and the right unit?", p.long.line,
			rough(p.long.takes), rough(span))
	}
	if p.Spread > 0 {
		add("%d of %d requests share a whole second with others of their key; they were spread evenly over it "+
			"(within_second: even)", p.Spread, p.Requests)
	}
	if n := int(p.Bad); n > 0 {
		shown := p.Shown
		if n > len(shown) {
			shown = append(slices.Clip(shown), "…")
		}
		add("%s %s left out, not a request or too late: %s", message.Count(n, "line"), message.Verb(n, "was", "were"),
			strings.Join(shown, "; "))
	}
	switch {
	case p.Key == "" || p.Requests < 2:
	case p.trace.Key == NoKey:
	case p.Key == string(oneKey):
		add("all %d requests have one key: --trace-key names the column or field of the client", p.Requests)
	default:
		add("all %d requests are of one client, %s: is that a proxy or a virtual host in front? --trace-key names "+
			"another field", p.Requests, message.Quote(p.Key))
	}
	if p.Empty > 0 {
		add("%s %s left out", message.Count(p.Empty, "empty file"), message.Verb(p.Empty, "was", "were"))
	}
	if outOfOrder > 0 {
		add("%d of %d lines were out of order and were sorted", outOfOrder, seen)
	}
	return nil
}

// rough formats a time of µs in whole seconds.
func rough(us int64) string {
	return (time.Duration(us) * time.Microsecond).Round(time.Second).String()
}

// Piece reads a part of a file that consists of whole lines. It stops when each returns false, or at one bad line more
// than the trace allows. head has the first lines of the file, up to the first request, if the part is not the file's
// beginning. Errors are read errors.
func (t Trace) Piece(name string, head []byte, in io.Reader, each func(q limit.Request, whole bool) bool) (*Found,
	error) {
	all := shared{allowed: t.Bad + 1}
	f, err := t.newFile(name, io.NopCloser(io.MultiReader(bytes.NewReader(head), in)), &all)
	if err != nil {
		return nil, err
	}
	defer f.drop()
	f.lines -= int64(bytes.Count(head, []byte{'\n'}))
	more, lines := true, int64(0)
	f.take = func(e entry) error {
		f.sorter.seen++
		lines = e.line
		more = each(limit.Request{AtUS: e.at, Key: e.key, Cost: int64(e.cost)}, e.whole)
		return nil
	}
	for err == nil && more && all.count <= t.Bad {
		err = f.scan()
	}
	found := f.found()
	if found.Bad, found.Shown = all.count, all.shown; !more {
		found.Lines = lines
	}
	if err == io.EOF || found.Bad > t.Bad {
		err = nil
	}
	return found, err
}

// Ordered returns the stream of some keys of a log, for one pass. requests has their requests in the order of time
// since 1970, each with whether its time is a whole second. l has the log's FirstUS. The pass adds its findings to l,
// except those about files.
func (t Trace) Ordered(l *Log, requests iter.Seq2[limit.Request, bool]) *traffic.Stream {
	return traffic.Compile(0, []traffic.Phase{{Trace: shard{t, l, requests}}})
}

// Told returns an empty stream with the findings of a log that was read elsewhere.
func (t Trace) Told(l *Log) *traffic.Stream {
	s := t.Ordered(l, func(func(limit.Request, bool) bool) {})
	for range s.Requests() {
	}
	return s
}

// shard is a part of a log: the requests of some keys.
type shard struct {
	Trace
	log      *Log
	requests iter.Seq2[limit.Request, bool]
}

// Play implements traffic.Recorded.
func (s shard) Play(lasts time.Duration, found *traffic.Pass, yield func(limit.Request) bool) error {
	p := s.player(s.log, lasts, yield)
	return p.end(s.read(p), found)
}

func (s shard) read(p *player) error {
	// The shard may begin in the middle of the log. So its first request must not set FirstUS.
	p.begun = true
	file := &traceFile{text: &text{records: records{name: "a shard"}}} // used only in messages
	for q, whole := range s.requests {
		if err := p.take(entry{at: q.AtUS, whole: whole, key: q.Key, cost: int32(q.Cost), file: file}); err != nil {
			return err
		}
	}
	return p.release()
}
