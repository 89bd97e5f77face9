// Package traffic generates requests. A scenario's phases compile to one stream of limit.Request, which is the same on
// every run. Requests come from arrival processes (one small type per shape) with key and cost distributions, or from
// whatever is Recorded.
//
// A stream is lazy: its memory does not grow with its length. The package reads no clock, no scenario file and no log.
// Package scenario checks the ranges of its values.
package traffic

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// Phase is one stretch of traffic. Either Arrivals or Trace is set, not both.
type Phase struct {
	Name     string        // unique within a scenario; it seeds the phase's random streams
	Duration time.Duration // whole microseconds; 0 for a Trace means as long as the trace lasts

	Arrivals Arrivals
	Keys     Keys // nil stands for a single key, k0
	Cost     Cost // nil stands for 1

	Trace Recorded // brings its own keys and costs

	list []limit.Request // of List, where neither is set
}

// Count is how many requests a phase of Arrivals has: exactly, or on average where the process is random, or Many if
// that is less.
func (p Phase) Count() int64 {
	if p.Arrivals == nil {
		return int64(len(p.list))
	}
	return p.Arrivals.count(p.Duration)
}

// Recorded is traffic that was recorded, such as a log.
type Recorded interface {
	// Play yields the requests in the order of time, counted from the phase's start. It ends when the phase is over,
	// unless lasts is 0, or when yield returns false, which is no error. It adds what it found to pass.
	Play(lasts time.Duration, pass *Pass, yield func(limit.Request) bool) error
}

// MaxCost is the most that one request may cost.
const MaxCost = 1_000_000_000

// Arrivals is an arrival process. Implementations are values without state, so that one of them can be played
// any number of times.
type Arrivals interface {
	// times yields the arrivals in [0, d) in microseconds since the phase's start, never decreasing, as long as yield
	// wants more. All randomness comes from random.
	times(d time.Duration, random *rand.Rand, yield func(us int64) bool)
	// count is how many arrivals times yields, as Phase.Count.
	count(d time.Duration) int64
}

// Keys is a distribution over the keys k0, k1, k2, …
type Keys interface {
	// ranks returns a fresh generator of key numbers, at least 0.
	ranks(random *rand.Rand) func() int64
}

// Cost is a distribution of the permits that one request asks for.
type Cost interface {
	// draws returns a fresh generator of costs, at least 1.
	draws(random *rand.Rand) func() int64
}

// Random is the random stream of one purpose (arrivals, keys, cost, …) in one phase, or of whatever else has a name.
// Streams with different seeds, names or purposes have nothing to do with one another, so that adding a phase, or
// giving one another cost distribution, moves no arrival elsewhere. The fields are length-prefixed: ("a", "bc") is not
// ("ab", "c").
func Random(seed uint64, name, purpose string) *rand.Rand {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(name)))
	b = append(append(b, name...), purpose...)
	sum := sha256.Sum256(b)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
