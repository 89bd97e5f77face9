package traffic

import (
	"math/rand/v2"
	"strconv"
)

// Uniform makes each of Count keys equally likely.
type Uniform struct{ Count int64 }

// Ranks implements Keys.
func (u Uniform) Ranks(random *rand.Rand) func() int64 {
	if u.Count == 1 {
		return func() int64 { return 0 }
	}
	return func() int64 { return random.Int64N(u.Count) }
}

// Sequential takes Count keys in turn: k0, k1, …, and k0 again.
type Sequential struct{ Count int64 }

// Ranks implements Keys.
func (s Sequential) Ranks(*rand.Rand) func() int64 {
	next := int64(-1)
	return func() int64 {
		if next++; next == s.Count {
			next = 0
		}
		return next
	}
}

// Hot gives the first Keys of Count keys the given Share of the requests, evenly among them, and the other keys
// the rest, evenly too.
type Hot struct {
	Count int64
	Keys  int64   // at least 1 and less than Count
	Share float64 // within 0 to 1
}

// Ranks implements Keys.
func (h Hot) Ranks(random *rand.Rand) func() int64 {
	return func() int64 {
		if random.Float64() < h.Share {
			return random.Int64N(h.Keys)
		}
		return h.Keys + random.Int64N(h.Count-h.Keys)
	}
}

// keyNames caches the names of the keys, so that a request for a known key allocates nothing. It grows with the
// highest rank seen, up to cachedNames; beyond them each name is made when it is needed.
type keyNames []string

const cachedNames = 1 << 20

func (n *keyNames) of(rank int64) string {
	if rank < int64(len(*n)) {
		if s := (*n)[rank]; s != "" {
			return s
		}
	}
	return n.add(rank)
}

func (n *keyNames) add(rank int64) string {
	name := "k" + strconv.FormatInt(rank, 10)
	if rank >= cachedNames {
		return name
	}
	if rank >= int64(len(*n)) {
		grown := make([]string, min(max(2*rank, 64), cachedNames))
		copy(grown, *n)
		*n = grown
	}
	(*n)[rank] = name
	return name
}
