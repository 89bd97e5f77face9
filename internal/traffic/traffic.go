// Package traffic generates requests. A scenario's phases compile to one stream of limit.Request, which is the same on
// every run. Requests come from arrival processes (one small type per shape) with distributions of keys and costs, or
// from a recorded log.
//
// A stream is lazy: its memory does not grow with its length. The package reads no clock, no scenario file and no log.
// Package scenario checks the ranges of the values.
package traffic

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// Phase is one part of the traffic. Either Arrivals or Trace is set, not both.
type Phase struct {
	Name     string        // unique within a scenario; it seeds the phase's random streams
	Duration time.Duration // whole microseconds; 0 for a Trace: as long as the trace lasts

	Arrivals Arrivals
	Keys     Keys  // nil: a single key, k0
	Groups   int64 // the keys have a second part, their group: k17|g7 of 10 groups; 0: they have one part
	Cost     Cost  // nil: 1
	Takes    Cost  // how long requests run, in µs; nil: unknown
	Actual   Cost  // the cost that is known at the end; nil: Cost
	Plus     bool  // Actual is added to the cost

	Trace Recorded // brings its own keys and costs

	list []limit.Request // the requests of List; then neither Arrivals nor Trace is set
}

// Parts returns the number of parts of the phase's generated keys.
func (p Phase) Parts() int {
	if p.Groups > 0 {
		return 2
	}
	return 1
}

// Count returns how many requests a phase with Arrivals has, or Many if that is less. If the process is random, it is
// the mean.
func (p Phase) Count() int64 {
	if p.Arrivals == nil {
		return int64(len(p.list))
	}
	return p.Arrivals.count(p.Duration)
}

// Recorded is recorded traffic, such as a log.
type Recorded interface {
	// Play yields the requests in the order of time, counted from the phase's start. It ends with the phase, unless
	// lasts is 0, or when yield returns false, which is not an error. It adds its results to pass.
	Play(lasts time.Duration, pass *Pass, yield func(limit.Request) bool) error
}

// MaxCost is the highest cost of one request.
const MaxCost = 1_000_000_000

// Arrivals is an arrival process. Implementations are values without state, so that each can be played any number of
// times.
type Arrivals interface {
	// times yields the arrivals in [0, d) in microseconds since the phase's start, in ascending order, until yield
	// returns false. All randomness comes from random.
	times(d time.Duration, random *rand.Rand, yield func(us int64) bool)
	// count returns the number of arrivals that times yields, as Phase.Count does.
	count(d time.Duration) int64
}

// Keys is a distribution over the keys k0, k1, k2, …
type Keys interface {
	// ranks returns a new generator of key numbers, which are at least 0.
	ranks(random *rand.Rand) func() int64
}

// Cost is a distribution of the tokens that one request costs.
type Cost interface {
	// draws returns a new generator of costs, which are at least 1.
	draws(random *rand.Rand) func() int64
}

// Random returns the random stream for one purpose (arrivals, keys, cost, …) of one phase, or of anything else with a
// name. Streams with different seeds, names or purposes are independent. So a new phase, or another cost distribution,
// changes no arrivals elsewhere. The name is length-prefixed: ("a", "bc") is not ("ab", "c").
func Random(seed uint64, name, purpose string) *rand.Rand {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(name)))
	b = append(append(b, name...), purpose...)
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
