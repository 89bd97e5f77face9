// Package scenario reads scenario files strictly. A scenario is a YAML file that asks one question about rate limiters,
// describes the traffic that answers the question, and states the expected answer.
//
// The package does not depend on algorithms: package run resolves the labels in expect and parameters.
package scenario

import (
	"math"
	"slices"
	"strconv"
	"time"

	"ratelab/internal/accesslog"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// Scenario is the content of one file, after all checks.
type Scenario struct {
	Name     string // by default the base name of the file
	Question string // what the scenario shows, usually as a question; at most 200 characters
	Limit    limit.Policy
	Limits   []limit.Limit // several limits on each request, of which Limit is the first; nil: Limit is the limit
	Seed     uint64
	Start    time.Time // of virtual time, in UTC; a multiple of a day unless the file sets it
	OnLate   string    // what a wall-clock run does with late requests: queue, drop or fatal
	Phases   []traffic.Phase

	// Clients are the groups of clients that send the traffic; nil: each request is sent once, with correct clocks.
	// ServerClock has the steps of the server's clock. Sequences are the labels of sequences of commands. Their rows
	// come after those of the scripts.
	Clients     []clients.Group
	ServerClock clients.ServerClock
	Sequences   []string

	// Rows are additional rows, after those of all algorithms with their defaults.
	Rows []RowLabel

	// Managed are the steps for limits that have to be configured. Outages are the times in which the server is
	// unavailable. Both are in the order of time.
	Managed []limit.ManagedStep
	Outages []limit.Outage

	// Crashes are instants at which some holders of open requests die, in the order of time.
	Crashes []traffic.Crash

	// Parameters maps an algorithm's name to parameters that replace its defaults. All values are text.
	Parameters map[string]map[string]string
	Expect     []Expectation

	// Boundary: some instants are equal, or exactly a window apart, so that a millisecond more or less may change what
	// is admitted.
	Boundary bool

	// NamesContract: the file sets the contract.
	NamesContract bool

	// NamesStart: the file sets the start.
	NamesStart bool

	SHA256 string // of the file's bytes, in hexadecimal
}

// RowLabel is an additional row of the file, with its place in the file.
type RowLabel struct {
	Label string // a label: a name, and :k=v for each parameter set
	Place string // file:line:column
}

// Expectation holds the expectations of one row, with their place in the file.
type Expectation struct {
	Algorithm string // a label: a name, and :k=v for each parameter set
	Measures  []Range
	Place     string // file:line:column
}

// LocalFlagSuffix ends the label of an algorithm's second row if clients have a local flag: after a rejection, they do
// not ask the server again until retry_after.
const LocalFlagSuffix = "+local-flag"

// Range is the range of values that a measure may have, both ends included. An open end is an infinity.
type Range struct {
	Measure  string // name in the JSON of a result; one that measure.Expected allows
	Min, Max float64
}

// Contains reports whether v is in the range.
func (r Range) Contains(v float64) bool { return r.Min <= v && v <= r.Max }

// String returns an exact value, or min..max without open ends.
func (r Range) String() string {
	if r.Min == r.Max {
		return formatNumber(r.Min)
	}
	return formatNumber(r.Min) + ".." + formatNumber(r.Max)
}

// formatNumber formats a number. An infinity becomes "".
func formatNumber(v float64) string {
	if math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// DefaultStart is a midnight, and thus a multiple of every window that divides a day.
var DefaultStart = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// OnLates are the values of on_late. The first is the default.
var OnLates = []string{"queue", "drop", "fatal"}

// Stream compiles the scenario's traffic with a seed.
func (s *Scenario) Stream(seed uint64) *traffic.Stream {
	return traffic.Compile(seed, s.Phases).WithCrashes(s.Crashes)
}

// Reactive reports whether the scenario has clients, steps of the server's clock, or sequences.
func (s *Scenario) Reactive() bool {
	return s.Clients != nil || s.ServerClock != nil || s.Sequences != nil
}

// HasCosts reports whether requests may have other costs than 1.
func (s *Scenario) HasCosts() bool {
	return slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool {
		trace, _ := p.Trace.(*accesslog.Trace)
		return p.Cost != nil || trace != nil && trace.Cost != ""
	})
}

// HasTakes reports whether the traffic says how long requests run.
func (s *Scenario) HasTakes() bool {
	return !slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool {
		trace, _ := p.Trace.(*accesslog.Trace)
		return p.Takes == nil && (trace == nil || trace.Takes == "" && trace.End == "") && p.Count() > 0
	})
}

// RequestsEnd reports whether limiters must know when requests end: their slots or their costs are counted until then.
func (s *Scenario) RequestsEnd() bool {
	return s.Limit.Contract == limit.ByFlight || s.HasActual() || limit.InFlight(s.Limits)
}

// HasActual reports whether the cost of requests is known only at their end.
func (s *Scenario) HasActual() bool {
	return slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool {
		trace, _ := p.Trace.(*accesslog.Trace)
		return p.Actual != nil || trace != nil && trace.Actual != ""
	})
}

// Recorded reports whether the traffic, or a part of it, is recorded.
func (s *Scenario) Recorded() bool {
	return slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool { return p.Trace != nil })
}

// Faulty reports whether limits are deleted, or the server is unavailable, during the scenario.
func (s *Scenario) Faulty() bool { return s.Managed != nil || s.Outages != nil }

// Plain reports whether the scenario has only requests, which are the same for every algorithm.
func (s *Scenario) Plain() bool { return !s.Reactive() && !s.Faulty() }

// ClocksOff reports whether any clock is wrong at any time.
func (s *Scenario) ClocksOff() bool {
	return len(s.ServerClock) > 0 || slices.ContainsFunc(s.Clients, func(g clients.Group) bool {
		return g.OffsetUS != clients.Range{} || g.DriftPPM != clients.Range{}
	})
}
