package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/limit"
	"ratelab/internal/play"
	"ratelab/internal/replay"
)

// keysPerShard is how many keys there must be for each shard so that requests are dealt by their keys: of fewer, one
// shard would have much more to do than another one.
const keysPerShard = 16

// dealt is what a shard has of what is played.
type dealt struct {
	benchresult.Dealt
	numbers []int // of the shard's requests among all of them
}

// deal gives a shard its requests: those whose keys it has by their hash where there are keys enough, else every n-th.
// Each request is one shard's. The digest is that of all requests, whoever has them.
func deal(requests []limit.Request, shard replay.Shard) *dealt {
	keys := map[string]bool{}
	digest := sha256.New()
	for _, q := range requests {
		keys[q.Key] = true
		fmt.Fprintf(digest, "%d,%q,%d\n", q.AtUS, q.Key, q.Cost)
	}
	d := &dealt{Dealt: benchresult.Dealt{ByKey: len(keys) >= keysPerShard*shard.Of, Requests: int64(len(requests)),
		Keys: int64(len(keys)), Digest: hex.EncodeToString(digest.Sum(nil))}}
	d.numbers = d.numbersOf(requests, shard)
	d.Mine = int64(len(d.numbers))
	return d
}

// numbersOf are those of a shard's requests.
func (d *dealt) numbersOf(requests []limit.Request, shard replay.Shard) []int {
	var numbers []int
	for i, q := range requests {
		if d.ByKey && shard.Has(q.Key) || !d.ByKey && i%shard.Of == shard.Number-1 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// of is the shard's part of a part.
func (d *dealt) of(whole *play.Part) *play.Part {
	mine := *whole
	mine.Requests = make([]limit.Request, len(d.numbers))
	for i, number := range d.numbers {
		mine.Requests[i] = whole.Requests[number]
	}
	return &mine
}
