package traffic

import (
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
)

// Uniform makes all Count keys equally likely.
type Uniform struct{ Count int64 }

func (u Uniform) ranks(random *rand.Rand) func() int64 {
	if u.Count == 1 {
		return func() int64 { return 0 }
	}
	return func() int64 { return random.Int64N(u.Count) }
}

// Sequential uses Count keys in turn: k0, k1, …, and k0 again.
type Sequential struct{ Count int64 }

func (s Sequential) ranks(*rand.Rand) func() int64 {
	next := int64(-1)
	return func() int64 {
		if next++; next == s.Count {
			next = 0
		}
		return next
	}
}

// Hot gives the first Keys of Count keys the given Share of the requests, and the other keys the rest. Within each of
// the two sets, all keys are equally likely.
type Hot struct {
	Count int64
	Keys  int64   // at least 1 and less than Count
	Share float64 // within 0 to 1
}

func (h Hot) ranks(random *rand.Rand) func() int64 {
	return func() int64 {
		if random.Float64() < h.Share {
			return random.Int64N(h.Keys)
		}
		return h.Keys + random.Int64N(h.Count-h.Keys)
	}
}

// keyNames caches the names of the keys, so that a request for a known key allocates nothing. It grows with the highest
// rank seen, up to cachedNames. Names of higher ranks are made when they are needed.
type keyNames struct {
	groups int64 // 0: keys have one part
	cached []string
}

const cachedNames = 1 << 20

func (n *keyNames) of(rank int64) string {
	if rank < int64(len(n.cached)) && n.cached[rank] != "" {
		return n.cached[rank]
	}
	name := "k" + strconv.FormatInt(rank, 10)
	if n.groups > 0 {
		name += "|g" + strconv.FormatInt(rank%n.groups, 10)
	}
	if rank < cachedNames {
		if more := rank + 1 - int64(len(n.cached)); more > 0 {
			n.cached = append(n.cached, make([]string, more)...)
		}
		n.cached[rank] = name
	}
	return name
}

// LognormalCost draws from a lognormal distribution with that median and that 99th percentile, at least 1.
type LognormalCost struct{ P50, P99 float64 }

func (c LognormalCost) draws(random *rand.Rand) func() int64 {
	const z99 = 2.3263478740408408 // the 99th percentile of the standard normal distribution
	sigma := math.Log(c.P99/c.P50) / z99
	return func() int64 {
		return max(1, int64(math.Ceil(min(c.P50*math.Exp(sigma*random.NormFloat64()), 1e15))))
	}
}

// FixedCost is the same cost for every request.
type FixedCost int64

func (c FixedCost) draws(*rand.Rand) func() int64 { return func() int64 { return int64(c) } }

// UniformCost makes all integer costs from Min to Max equally likely, both included.
type UniformCost struct{ Min, Max int64 }

func (c UniformCost) draws(random *rand.Rand) func() int64 {
	return func() int64 { return c.Min + random.Int64N(c.Max-c.Min+1) }
}

// Weight is one cost of a WeightedCost, and its likelihood relative to the others.
type Weight struct {
	Cost   int64
	Weight float64 // positive
}

// WeightedCost draws one of a few costs, in proportion to their weights. The draws depend on the order of the
// weights.
type WeightedCost []Weight

func (c WeightedCost) draws(random *rand.Rand) func() int64 {
	upTo := make([]float64, len(c))
	sum := 0.0
	for i, w := range c {
		sum += w.Weight
		upTo[i] = sum
	}
	return func() int64 {
		x := random.Float64() * sum
		i := sort.Search(len(upTo)-1, func(i int) bool { return x < upTo[i] })
		return c[i].Cost
	}
}
