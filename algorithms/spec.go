// Package algorithms says what each rate limiting algorithm is: what it promises, what it takes, how its script is
// called, and, as a plain Go model, what it decides. Each algorithm is one file that registers itself; its script
// is the file of the same base name in lua/, its hand-worked trace the one in testdata/. The package runs no script
// and opens no connection.
package algorithms

import (
	"ratelab/internal/limit"
	"ratelab/lua"
)

// Spec is one algorithm, in words for a listing and in code for a run.
//
// Related algorithms have colours of related hues. Fixed windows are warm, sliding windows blue, token buckets green,
// and those that keep one moment in time purple. Six are those of Okabe and Ito ("Color Universal Design", 2008). The
// others are shades that stay apart from all of these, and from each other, for an eye that lacks red or green as well:
// TestPaletteStaysApart of the charts holds the distance, and says which two are too near. Colour may stay empty: a few
// spare shades are known to be apart.
//
// Note: their yellow is not used. As a thin line on light paper it cannot be seen, and darkened until it can, it is
// their orange to an eye that lacks green.
type Spec struct {
	Name       string      // its file's base name, flag value, key prefix and result row
	Family     string      // floor, window, log, bucket or shaper
	State      string      // what a key holds
	Rule       string      // when a request is admitted
	Bound      string      // the most that is admitted in an interval; L, W, B, r = L/W and N(τ) as in Bound of gcra
	Sources    []string    // addresses of the literature
	Colour     string      // in every chart and page, such as #cc79a7; empty: a spare one
	Parameters []Parameter // what the limit does not fix
	Traits     Traits

	// Prepare works out the constants of a run. Its error says which limit the algorithm cannot do, and what to
	// change. Callers use Choice.Instance, which checks the policy and completes the result.
	Prepare func(p limit.Policy, v Values) (Instance, error)
}

// Traits are how an algorithm departs from the laws that the others keep (laws_test.go). The checkers read them here.
// An algorithm with a departure of a new kind adds its trait, and tells the law that it breaks to heed it.
type Traits struct {
	TTLRule bool // a key's expiry ends its window: now_us is not read, and times hold to the millisecond
	Aligned bool // a clock that steps back into an older window finds that window's own count
	Grid    bool // windows, or refills, lie where the clock puts them, not where the first request does
	Lends   bool // a balance below zero: the full burst is admitted before it is full, and all at once never more
	Forgets bool // after a change of its parameters nobody waits for longer than the new ones explain

	// LifeMS is for how long a rested key is kept in Redis, in milliseconds, after a request that answered resetUS; nil
	// for a second longer than resetUS, rounded up.
	LifeMS func(resetUS, windowUS int64) int64
}

// Instance is an algorithm with its parameters, for one limit. What it promises, and its models, are those of all its
// gateways together.
type Instance struct {
	Label      string            // the name, and :k=v for each parameter that was set
	Spec       *Spec             // what it is an instance of
	Parameters map[string]string // every parameter's value, defaults included; of a row's those that were set
	Policy     limit.Policy      // the limit that it goes by, which need not be the one that it is measured against
	Gateways   *Gateways         // that count each for itself; nil: all that decide share one state

	Args []string // ARGV from the third on, of the call that decides a request
	Init []string // ARGV from the third on, of the call that configures a key before its first request; nil: none

	// Delete is ARGV from the third on, of the call that deletes what Init configured; nil: there is none. It is no
	// longer than Init.
	Delete []string

	ClientTime    bool  // ARGV[1] is the client's clock; otherwise it is empty, and the script asks the server
	GranularityUS int64 // the client's clock counts in steps of so many microseconds, rounded down; at least 1

	// MostAdmitted is the algorithm's Bound in numbers: what it promises not to exceed for one key in any half-open
	// interval (t − w, t] of w = spanUS, from 1 µs, when no request costs more than largestCost. nil: no promise.
	MostAdmitted func(spanUS, largestCost int64) int64

	// MostDeparting is the same of what leaves, where what is admitted waits; nil: it leaves at once.
	MostDeparting func(spanUS, largestCost int64) int64

	// NewModel makes a limiter that decides as the script does, with no key in use yet. Its clock is the one
	// that the script would see, so it floors the client's time itself. It keeps the keys' strings.
	NewModel func() limit.Limiter
}

// MostLetThrough is what an instance promises of what it lets through: at the moment when that leaves. nil: no promise.
func (in *Instance) MostLetThrough() func(spanUS, largestCost int64) int64 {
	if in.MostDeparting != nil {
		return in.MostDeparting
	}
	return in.MostAdmitted
}

// Counts reports whether the algorithm compares a count of what was admitted with the limit, so that L less what
// remains is what it believes to be used of a window.
func (s *Spec) Counts() bool { return s.Family == "window" || s.Family == "log" }

// Script is the algorithm's Lua, as one would deploy it.
func (s *Spec) Script() string {
	source, err := lua.Source(s.Name)
	if err != nil {
		panic(err) // a missing file is a mistake of this program, and a test looks for it
	}
	return source
}
