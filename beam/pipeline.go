package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

func init() {
	register.DoFn4x1[context.Context, []byte, func(int, []byte), func([]byte), error](&readFn{})
	register.DoFn3x1[int, func(*[]byte) bool, func(int, []byte), error](&timesFn{})
	register.DoFn5x1[context.Context, int, func(*[]byte) bool, func(*[]byte) bool, func([]byte), error](&decideFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&writeFn{})
	register.Emitter1[[]byte]()
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// build makes the pipeline: pieces are read into batches by shard, shards decide, and one file gets what was found.
func build(s beam.Scope, j *Job, pieces []Piece, out string) {
	var list []any
	for _, p := range pieces {
		list = append(list, encode(p))
	}
	batches, read := beam.ParDo2(s, &readFn{*j}, beam.Reshuffle(s, beam.Create(s, list...)))
	// Every shard gets the times as it gets its batches: under a side input prism is busy while it waits.
	times := beam.ParDo(s, &timesFn{j.Shards}, beam.GroupByKey(s, beam.AddFixedKey(s, read)))
	decided := beam.ParDo(s, &decideFn{*j}, beam.CoGroupByKey(s, batches, times))
	all := beam.GroupByKey(s, beam.AddFixedKey(s, beam.Flatten(s, read, decided)))
	beam.ParDo0(s, &writeFn{out}, all)
}

// encode makes JSON of what always can be.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// line is one line of what the pipeline writes.
type line struct {
	Read    *Read    `json:",omitempty"`
	Decided *Decided `json:",omitempty"`
}

// Read is what was found of a piece besides its requests.
type Read struct {
	File     int
	From     int64
	Cut      bool // there are other pieces of the file
	Found    *traffic.Found
	Earliest int64 // time of a request
	Latest   int64
	Early    []At   // its first requests, without those later than a line before them
	Key      string // of some request
	Failed   string // why it cannot be read, whatever is tried
}

// At is N requests of one time.
type At struct{ US, N int64 }

// maxEarly is the most times of Early: a piece before may be later than they are.
const maxEarly = 1000

// note notes a request for what is said of the log as a whole. It reports whether it is out of order.
func (r *Read) note(q limit.Request) (outOfOrder bool) {
	switch last := len(r.Early) - 1; {
	case q.AtUS < r.Latest:
		outOfOrder = true
	case last >= 0 && r.Early[last].US == q.AtUS:
		r.Early[last].N++
	case last+1 < maxEarly:
		r.Early = append(r.Early, At{q.AtUS, 1})
	}
	r.Key, r.Earliest, r.Latest = q.Key, min(r.Earliest, q.AtUS), max(r.Latest, q.AtUS)
	return outOfOrder
}

// readFn reads a piece.
type readFn struct{ Job Job }

// ProcessElement emits the piece's requests in batches by shard, and what was found besides.
func (r *readFn) ProcessElement(ctx context.Context, element []byte, emit func(int, []byte), tell func([]byte)) error {
	var p Piece
	if err := json.Unmarshal(element, &p); err != nil {
		return err
	}
	in, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	head := p.Head
	if p.From == 0 {
		head = nil
	}
	b, outOfOrder, full := newBatches(&p, r.Job.Shards, emit), int64(0), error(nil)
	read := &Read{File: p.Number, From: p.From, Earliest: math.MaxInt64}
	read.Found, err = r.Job.Trace.Piece(p.Name, head, in, func(q limit.Request, whole bool) bool {
		if read.note(q) {
			outOfOrder++
		}
		full = b.add(q, whole)
		return full == nil
	})
	if err := errors.Join(in.failed, full); err != nil {
		return err // which may be better the next time
	}
	if err != nil {
		read.Failed, read.Found = err.Error(), &traffic.Found{Name: p.Name}
	}
	read.Found.OutOfOrder = outOfOrder
	for shard := range b.list {
		if err := b.flush(shard); err != nil {
			return err
		}
	}
	tell(encode(line{Read: read}))
	return nil
}

// timesFn computes the Times, for each shard.
type timesFn struct{ Shards int }

// ProcessElement receives all that was read.
func (t *timesFn) ProcessElement(_ int, lines func(*[]byte) bool, emit func(int, []byte)) error {
	var all []*Read
	for text := []byte(nil); lines(&text); {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		all = append(all, l.Read)
	}
	text := encode(times(byFile(all)))
	for shard := range t.Shards {
		emit(shard, text)
	}
	return nil
}

// decideFn decides a shard.
type decideFn struct{ Job Job }

// ProcessElement emits what the shard found.
func (d *decideFn) ProcessElement(ctx context.Context, _ int, batches, times func(*[]byte) bool,
	emit func([]byte)) error {
	var all [][]byte
	text := []byte(nil)
	for batches(&text) {
		all = append(all, slices.Clone(text))
	}
	if all == nil {
		return nil
	}
	var t Times
	if times(&text); json.Unmarshal(text, &t) != nil {
		return errors.New("a shard without times")
	}
	decided, err := d.Job.decide(ctx, all, &t)
	if err == nil {
		emit(encode(line{Decided: decided}))
	}
	return err
}

// writeFn writes all that was found into one file, for the program that waits for it.
type writeFn struct{ Out string }

// ProcessElement writes a line of JSON for each.
func (w *writeFn) ProcessElement(ctx context.Context, _ int, lines func(*[]byte) bool) error {
	fs, err := filesystem.New(ctx, w.Out)
	if err != nil {
		return err
	}
	defer fs.Close()
	out, err := fs.OpenWrite(ctx, w.Out)
	if err != nil {
		return err
	}
	for text := []byte(nil); err == nil && lines(&text); {
		_, err = out.Write(append(slices.Clone(text), '\n'))
	}
	return errors.Join(err, out.Close())
}
