package traffic

import (
	"math/rand/v2"
	"sort"
)

// FixedCost is the same cost for every request.
type FixedCost int64

// Draws implements Cost.
func (c FixedCost) Draws(*rand.Rand) func() int64 { return func() int64 { return int64(c) } }

// UniformCost makes every whole cost from Min to Max equally likely, both included.
type UniformCost struct{ Min, Max int64 }

// Draws implements Cost.
func (c UniformCost) Draws(random *rand.Rand) func() int64 {
	return func() int64 { return c.Min + random.Int64N(c.Max-c.Min+1) }
}

// Weight is one cost of a WeightedCost and how likely it is, relative to the others.
type Weight struct {
	Cost   int64
	Weight float64 // positive
}

// WeightedCost draws one of a few costs, in proportion to their weights. The draws depend on the order of the
// weights.
type WeightedCost []Weight

// Draws implements Cost.
func (c WeightedCost) Draws(random *rand.Rand) func() int64 {
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
