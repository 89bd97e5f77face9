package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"slices"

	"github.com/zeebo/xxh3"

	"ratelab/internal/limit"
)

// batch is requests of one shard and one piece, in the order of the file, packed: they travel much faster than one by
// one. Of each it has the time since the one before, the number of the key, and the cost and whether the time is whole.
type batch struct {
	File    int
	From    int64 // of the piece
	Number  int   // of the piece's batches
	Keys    []string
	Since   []int64
	Key     []uint32
	Flagged []uint32

	lastUS int64
	index  map[string]uint32 // of the keys
}

// batchRequests is how many requests a batch has, and openRequests how many one reader's batches have together.
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

func (b *batches) add(q limit.Request, whole bool) error {
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
		return b.flush(shard)
	}
	return nil
}

func (b *batches) flush(shard int) error {
	var text bytes.Buffer
	of := b.list[shard]
	if len(of.Since) == 0 {
		return nil
	}
	if err := gob.NewEncoder(&text).Encode(of); err != nil {
		return err
	}
	b.emit(shard, text.Bytes())
	clear(of.index)
	*of = batch{of.File, of.From, of.Number + 1, of.Keys[:0], of.Since[:0], of.Key[:0], of.Flagged[:0], 0, of.index}
	return nil
}

// packed is a request of a shard.
type packed struct {
	atUS                int64
	order, key, flagged uint32 // the order is that of one instant
}

// merge unpacks a shard's batches into the order of time; of one instant, of the files' ranks and of the lines in each.
// It gives nothing where there are more than most requests.
func merge(texts [][]byte, ranks map[int]int, most int64) (list []packed, keys []string, err error) {
	var all []batch
	var total int64
	for i, text := range texts {
		all = append(all, batch{})
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&all[i]); err != nil {
			return nil, nil, err
		}
		if total += int64(len(all[i].Since)); total > most {
			return nil, nil, nil
		}
	}
	slices.SortFunc(all, func(a, b batch) int {
		return cmp.Or(cmp.Compare(ranks[a.File], ranks[b.File]), cmp.Compare(a.From, b.From), cmp.Compare(a.Number, b.Number))
	})
	index, list := map[string]uint32{}, make([]packed, 0, total)
	for i, b := range all {
		numbers, atUS := make([]uint32, len(b.Keys)), int64(0)
		for n, name := range b.Keys {
			key, known := index[name]
			if !known {
				key = uint32(len(keys))
				keys, index[name] = append(keys, name), key
			}
			numbers[n] = key
		}
		for n, since := range b.Since {
			atUS += since
			list = append(list, packed{atUS, uint32(len(list)), numbers[b.Key[n]], b.Flagged[n]})
		}
		all[i] = batch{}
	}
	slices.SortFunc(list, func(a, b packed) int {
		return cmp.Or(cmp.Compare(a.atUS, b.atUS), cmp.Compare(a.order, b.order))
	})
	return list, keys, nil
}
