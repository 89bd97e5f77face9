package replay

import (
	"fmt"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// Shard is one of several parts that the keys of a run are cut into, such as 2/3. The zero value has all keys.
type Shard struct {
	Number int `json:"number" jsonschema:"minimum=1"` // from 1
	Of     int `json:"of" jsonschema:"minimum=1"`
}

// shardSeed sets the shards' hash apart from any other: it is "shard" in ASCII.
const shardSeed = 0x7368617264

// Has reports whether a key is of the shard. Which shard of n a key is of depends on the key alone: with h its XXH3-64
// under the seed 0x7368617264, it is 1 + ⌊h·n/2^64⌋. Parts of a run that were made at different times rely on that, so
// that it must stay.
func (s Shard) Has(key string) bool { return s.Of <= 1 || part(key, shardSeed, s.Of) == s.Number-1 }

// sourceOf is which of so many sources has a key: within a process, so that nobody relies on it. It must not go by the
// hash of the shards, of which each has but some values.
func sourceOf(key string, sources int) int { return part(key, 0, sources) }

// part is the number, from 0, of the part of so many that a key is of.
func part(key string, seed uint64, of int) int {
	high, _ := bits.Mul64(xxh3.HashStringSeed(key, seed), uint64(of))
	return int(high)
}

// String is the shard as the command line takes it.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }
