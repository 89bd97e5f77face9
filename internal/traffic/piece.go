package traffic

import (
	"bytes"
	"io"
	"iter"

	"ratelab/internal/limit"
	"ratelab/internal/message"
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

// Piece reads whole lines of a file, as long as each wants more, and no more bad lines than are allowed, and one. head
// has the file's first lines, up to its first request, where others are read. Its errors are those of reading.
func (t Trace) Piece(name string, head []byte, in io.Reader, each func(q limit.Request, whole bool) bool) (*Found,
	error) {
	x, err := newText(name, io.NopCloser(io.MultiReader(bytes.NewReader(head), in)))
	if err != nil {
		return nil, err
	}
	f := t.newFile(x, &shared{allowed: t.Bad + 1})
	defer f.drop()
	f.lines -= int64(bytes.Count(head, []byte{'\n'}))
	more, lines := true, int64(0)
	f.take = func(e entry) error {
		f.sorter.seen++
		lines = e.line
		more = each(limit.Request{AtUS: e.at, Key: e.key, Cost: int64(e.cost)}, e.whole)
		return nil
	}
	for err = f.detect(t); err == nil && more && f.shared.count <= t.Bad; {
		err = f.scan()
	}
	found := f.found()
	if found.Bad, found.Shown = f.shared.count, f.shared.shown; !more {
		found.Lines = lines
	}
	if err == io.EOF || found.Bad > t.Bad {
		err = nil
	}
	return found, err
}

// Ordered is the stream of some keys of a log that began at firstUS. Its requests are in the order of time, since 1970,
// and each says whether its time is a whole second.
func (t Trace) Ordered(firstUS int64, requests iter.Seq2[limit.Request, bool]) *Stream {
	return &Stream{phases: []Phase{{Trace: &t, ordered: requests, firstUS: firstUS}}}
}

// Log is what the last complete pass found, but for the files.
func (s *Stream) Log() Log {
	o := s.last()
	return Log{Requests: o.count, Spread: o.spread, FirstUS: o.firstUS, LastUS: o.lastUS, EndUS: o.startUS}
}

// Told is the stream of a log that was read elsewhere: it has no requests, and says what was found.
func (t Trace) Told(l *Log) *Stream {
	s := Compile(0, []Phase{{Trace: &t}})
	o := outcome{startUS: l.EndUS, count: l.Requests, spread: l.Spread, firstUS: l.FirstUS, lastUS: l.LastUS}
	o.note(&t, l)
	s.found.Store(&o)
	return s
}
