package accesslog

import (
	"bytes"
	"io"
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// Piece reads whole lines of a file, as long as each wants more, and no more bad lines than are allowed, and one. head
// has the file's first lines, up to its first request, where others are read. Its errors are those of reading.
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

// Ordered is the stream of some keys of a log, for one pass. Its requests are in the order of time, since 1970, and each
// says whether its time is a whole second. l has the log's FirstUS, and the pass adds what it finds, but for the files.
func (t Trace) Ordered(l *Log, requests iter.Seq2[limit.Request, bool]) *traffic.Stream {
	return traffic.Compile(0, []traffic.Phase{{Trace: shard{t, l, requests}}})
}

// Told is the stream of a log that was read elsewhere: it has no requests, and says what was found.
func (t Trace) Told(l *Log) *traffic.Stream {
	s := t.Ordered(l, func(func(limit.Request, bool) bool) {})
	for range s.Requests() {
	}
	return s
}

// shard is some of a log's keys.
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
	file := &traceFile{text: &text{records: records{name: "a shard"}}} // for messages
	for q, whole := range s.requests {
		if err := p.take(entry{at: q.AtUS, whole: whole, key: q.Key, cost: int32(q.Cost), file: file}); err != nil {
			return err
		}
	}
	return p.release()
}
