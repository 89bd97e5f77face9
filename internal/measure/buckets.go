package measure

import (
	"math/bits"

	"ratelab/internal/limit"
)

// buckets holds an exact bucket for each key, by the key's number. A bucket starts full and is refilled continuously;
// fractions of tokens are exact. Keys with full buckets are dropped each time the number of keys has doubled.
type buckets struct {
	capacity, requests, windowUS int64
	keys                         map[int64]bucket
	sweepAt                      int
}

// bucket holds tokens + part/W tokens at atUS.
type bucket struct{ tokens, part, atUS int64 }

func newBuckets(p limit.Policy) *buckets {
	return &buckets{capacity: p.Capacity(), requests: p.Requests, windowUS: p.WindowUS(), keys: map[int64]bucket{},
		sweepAt: firstSweep}
}

// take takes cost from the key's bucket at nowUS if the bucket holds that much. nowUS must not decrease.
func (b *buckets) take(key, nowUS, cost int64) bool {
	k := b.at(key, nowUS)
	if cost > k.tokens {
		return false
	}
	if _, known := b.keys[key]; !known && len(b.keys) >= b.sweepAt {
		b.sweep(nowUS)
	}
	k.tokens -= cost
	b.keys[key] = k
	return true
}

// at returns the key's bucket at nowUS.
func (b *buckets) at(key, nowUS int64) bucket {
	if k, known := b.keys[key]; known {
		return b.refilled(k, nowUS)
	}
	return bucket{b.capacity, 0, nowUS}
}

// refilled returns k at nowUS: its tokens, and L/W tokens for each microsecond since k.atUS, exact to parts of 1/W.
func (b *buckets) refilled(k bucket, nowUS int64) bucket {
	high, low := bits.Mul64(uint64(nowUS-k.atUS), uint64(b.requests))
	low, carry := bits.Add64(low, uint64(k.part), 0)
	high += carry
	full := bucket{b.capacity, 0, nowUS}
	if high >= uint64(b.windowUS) {
		return full
	}
	earned, part := bits.Div64(high, low, uint64(b.windowUS))
	if earned >= uint64(b.capacity-k.tokens) {
		return full
	}
	return bucket{k.tokens + int64(earned), int64(part), nowUS}
}

func (b *buckets) sweep(nowUS int64) {
	for key, k := range b.keys {
		if b.refilled(k, nowUS).tokens == b.capacity {
			delete(b.keys, key)
		}
	}
	b.sweepAt = max(firstSweep, 2*len(b.keys))
}
