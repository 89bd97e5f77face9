// Package traffic makes requests: when they arrive, for which key, at what cost. A scenario's phases compile
// to one stream of limit.Request that is the same on every run, from arrival processes (one small type per
// shape), from key and cost distributions, or from recorded traces (Apache and nginx logs, CSV, JSON lines).
//
// A stream is lazy: its memory does not grow with its length. The package reads no clock and no scenario
// file; it trusts the ranges that package scenario checks.
package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// Phase is one stretch of traffic. Either Arrivals or Trace is set, not both.
type Phase struct {
	Name     string        // unique within a scenario; it seeds the phase's random streams
	Duration time.Duration // whole microseconds; 0 for a Trace means as long as the trace lasts

	Arrivals Arrivals
	Keys     Keys // nil stands for a single key, k0
	Cost     Cost // nil stands for 1

	Trace *Trace // recorded traffic, which brings its own keys and costs
}

// Arrivals is an arrival process. Implementations are values without state, so that one of them can be played
// any number of times.
type Arrivals interface {
	// Times yields the arrivals in [0, d) in microseconds since the phase's start, never decreasing. All
	// randomness comes from random.
	Times(d time.Duration, random *rand.Rand) iter.Seq[int64]
	// Count is how many arrivals Times yields: exactly, or on average where the process is random.
	Count(d time.Duration) int64
}

// Keys is a distribution over the keys k0, k1, k2, …
type Keys interface {
	// Ranks returns a fresh generator of key numbers, at least 0.
	Ranks(random *rand.Rand) func() int64
}

// Cost is a distribution of the permits that one request asks for.
type Cost interface {
	// Draws returns a fresh generator of costs, at least 1.
	Draws(random *rand.Rand) func() int64
}
