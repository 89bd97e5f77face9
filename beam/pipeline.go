package main

import (
	"context"
	"encoding/json"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"ratelab/internal/accesslog"
	"ratelab/internal/limit"
)

func init() {
	register.DoFn4x1[context.Context, string, func(int, []byte), func(string), error](&readFn{})
	register.DoFn3x1[int, func(*string) bool, func(int, string), error](&timesFn{})
	register.DoFn5x1[context.Context, int, func(*[]byte) bool, func(*string) bool, func(string), error](&decideFn{})
}

// build makes the pipeline. Pieces are read into batches by shard, shards are decided, and one file gets all results.
// Strings are JSON. CoGroupByKey gives each shard its batches and the times together, because a side input would keep
// prism busy while it waits.
func build(s beam.Scope, j *Job, pieces []any, out string) {
	batches, read := beam.ParDo2(s, &readFn{*j}, beam.Reshuffle(s, beam.Create(s, pieces...)))
	times := beam.ParDo(s, &timesFn{j.Shards}, beam.GroupByKey(s, beam.AddFixedKey(s, read)))
	decided := beam.ParDo(s, &decideFn{*j}, beam.CoGroupByKey(s, batches, times))
	textio.Write(s, out, beam.Flatten(s, read, decided))
}

// encode returns v as JSON. It panics if v cannot be encoded.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// line is one line of the pipeline's output.
type line struct {
	Read   *Read  `json:",omitempty"`
	Sums   []Sum  `json:",omitempty"` // of a shard, one or two
	Failed string `json:",omitempty"` // why a shard cannot be decided
}

// Read holds the findings about a piece, without its requests.
type Read struct {
	File     int
	From     int64
	Found    *accesslog.Found
	Cut      bool   // the file has other pieces
	Earliest int64  // time of the first request
	Key      string // key of any request
	Failed   string // why the piece cannot be read; retries are useless
}

// readFn reads a piece.
type readFn struct{ Job Job }

// ProcessElement emits the piece's requests in batches by shard, and the other findings.
func (r *readFn) ProcessElement(ctx context.Context, text string, emit func(int, []byte), tell func(string)) error {
	var p Piece
	if err := json.Unmarshal([]byte(text), &p); err != nil {
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
	b := newBatches(&p, r.Job.Shards, emit)
	read := &Read{File: p.Number, From: p.From, Earliest: math.MaxInt64}
	read.Found, err = r.Job.Trace.Piece(p.Name, head, in, func(q limit.Request, whole bool) bool {
		read.Key, read.Earliest = q.Key, min(read.Earliest, q.AtUS)
		b.add(q, whole)
		return true
	})
	if in.failed != nil { // a retry may succeed
		return in.failed
	}
	if err != nil {
		read.Failed, read.Found = err.Error(), &accesslog.Found{Name: p.Name}
	}
	for shard := range b.list {
		b.flush(shard)
	}
	tell(encode(line{Read: read}))
	return nil
}

// timesFn computes the Times for each shard.
type timesFn struct{ Shards int }

// ProcessElement receives the findings of all pieces.
func (t *timesFn) ProcessElement(_ int, lines func(*string) bool, emit func(int, string)) error {
	var all []*Read
	for text := ""; lines(&text); {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
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

// ProcessElement emits the results of the shard.
func (d *decideFn) ProcessElement(ctx context.Context, _ int, batches func(*[]byte) bool, times func(*string) bool,
	emit func(string)) error {
	var all [][]byte
	for b := []byte(nil); batches(&b); b = nil {
		all = append(all, b)
	}
	var t Times
	text := ""
	times(&text)
	if err := json.Unmarshal([]byte(text), &t); err != nil || all == nil {
		return err
	}
	sums, failed, err := d.Job.decide(ctx, all, &t)
	if err == nil {
		emit(encode(line{nil, sums, failed}))
	}
	return err
}
