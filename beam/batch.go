package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"slices"

	"github.com/zeebo/xxh3"

	"ratelab/internal/limit"
)

// batch holds packed requests of one shard and one piece, in the order of the file. Packed requests are transferred
// much faster than single ones. For each request it has the time since the previous one, the number of the key, the
// cost, and whether the time is whole.
type batch struct {
	File    int
	From    int64 // start of the piece
	Number  int   // number of the batch within the piece
	Keys    []string
	Since   []int64
	Key     []uint32
	Flagged []uint32

	lastUS int64
	index  map[string]uint32 // numbers of the keys
}

// batchRequests is the number of requests in a batch. openRequests is the most requests in all batches of one reader.
const (
	batchRequests = 8192
	openRequests  = 4 << 20
)

// batches are the open batches of a piece, by shard.
type batches struct {
	list []*batch
	size int
	emit func(int, []byte)
}

func newBatches(p *Piece, shards int, emit func(int, []byte)) *batches {
	b := &batches{size: max(min(batchRequests, openRequests/shards), 256), emit: emit}
	for range shards {
		b.list = append(b.list, &batch{File: p.Number, From: p.From, index: map[string]uint32{}})
	}
	return b
}

func (b *batches) add(q limit.Request, whole bool) {
	shard := int(xxh3.HashString(q.Key) % uint64(len(b.list)))
	to := b.list[shard]
	key, known := to.index[q.Key]
	if !known {
		key = uint32(len(to.Keys))
		to.Keys, to.index[q.Key] = append(to.Keys, q.Key), key
	}
	flagged := uint32(q.Cost) << 1
	if whole {
		flagged |= 1
	}
	to.Since, to.Key, to.Flagged = append(to.Since, q.AtUS-to.lastUS), append(to.Key, key), append(to.Flagged, flagged)
	if to.lastUS = q.AtUS; len(to.Since) == b.size {
		b.flush(shard)
	}
}

func (b *batches) flush(shard int) {
	of := b.list[shard]
	if len(of.Since) == 0 {
		return
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(of); err != nil {
		panic(err) // cannot fail
	}
	b.emit(shard, text.Bytes())
	clear(of.index)
	*of = batch{of.File, of.From, of.Number + 1, of.Keys[:0], of.Since[:0], of.Key[:0], of.Flagged[:0], 0, of.index}
}

// placed is a request of a shard. place is its position among requests of the same instant. whole tells whether its
// time is in whole seconds.
type placed struct {
	limit.Request
	place uint32
	whole bool
}

// merge unpacks a shard's batches and sorts the requests by time. Requests of the same instant are sorted by the rank
// of the file and by line. It returns nil if there are more than most requests.
func merge(texts [][]byte, ranks []int, most int64) (list []placed, err error) {
	var total int64
	all := make([]batch, len(texts))
	for i, text := range texts {
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&all[i]); err != nil {
			return nil, err
		}
		if total += int64(len(all[i].Since)); total > most {
			return nil, nil
		}
	}
	slices.SortFunc(all, func(a, b batch) int {
		return cmp.Or(cmp.Compare(ranks[a.File], ranks[b.File]), cmp.Compare(a.From, b.From),
			cmp.Compare(a.Number, b.Number))
	})
	list = make([]placed, 0, total)
	for i, b := range all {
		q := limit.Request{}
		for n, since := range b.Since {
			q.AtUS, q.Key, q.Cost = q.AtUS+since, b.Keys[b.Key[n]], int64(b.Flagged[n]>>1)
			list = append(list, placed{q, uint32(len(list)), b.Flagged[n]&1 != 0})
		}
		all[i] = batch{}
	}
	slices.SortFunc(list, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.AtUS, b.AtUS), cmp.Compare(a.place, b.place))
	})
	return list, nil
}
