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

// Ordered is the stream of some keys of a log that began at firstUS. Its requests are in the order of time, since 1970,
// and each says whether its time is a whole second. A complete pass fills in what it found, but for the files.
func (t Trace) Ordered(firstUS int64, requests iter.Seq2[limit.Request, bool]) (*traffic.Stream, *Log) {
	s := shard{Trace: t, firstUS: firstUS, requests: requests, log: &Log{}}
	return traffic.Compile(0, []traffic.Phase{{Trace: s}}), s.log
}

// shard is some of a log's keys.
type shard struct {
	Trace
	firstUS  int64
	requests iter.Seq2[limit.Request, bool]
	log      *Log
}

// Play implements traffic.Recorded.
func (s shard) Play(lasts time.Duration, found *traffic.Pass, yield func(limit.Request) bool) error {
	p := s.player(lasts, yield)
	p.FirstUS = s.firstUS
	err := p.end(s.read(p), found)
	*s.log = p.Log
	return err
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

// Told is the stream of a log that was read elsewhere: it has no requests, and says what was found.
func (t Trace) Told(l *Log) *traffic.Stream {
	s := traffic.Compile(0, []traffic.Phase{{Trace: told{t, l}}})
	for range s.Requests() {
	}
	return s
}

// told is a log that was read elsewhere.
type told struct {
	Trace
	log *Log
}

// Play implements traffic.Recorded.
func (t told) Play(lasts time.Duration, found *traffic.Pass, _ func(limit.Request) bool) error {
	t.tell(t.log, lasts, found)
	return nil
}
