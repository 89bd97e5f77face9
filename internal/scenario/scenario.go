// Package scenario reads scenarios, strictly. A scenario is a YAML file that asks one question about rate limiters,
// describes the traffic that answers it, and states the expected answer.
//
// The package knows no algorithm: package run resolves the labels in expect and parameters.
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

// Scenario is one file, read and checked.
type Scenario struct {
	Name     string // the file's base name, unless it says otherwise
	Question string // what the scenario shows, usually a question, in at most 200 characters
	Limit    limit.Policy
	Seed     uint64
	Start    time.Time // of virtual time, in UTC; a multiple of a day unless the file says otherwise
	OnLate   string    // what a wall-clock run does with requests it cannot send in time: queue, drop or fatal
	Phases   []traffic.Phase

	// Clients are the groups of clients that send the traffic; nil: each request is sent once, with correct clocks.
	// ServerClock has the steps of the server's clock. Sequences are the labels of sequences of commands; their rows
	// come after the scripts'.
	Clients     []clients.Group
	ServerClock clients.ServerClock
	Sequences   []string

	// Rows are further rows, after those of all algorithms with their defaults.
	Rows []RowLabel

	// Managed are the steps of the limits that have to be configured, and Outages the times in which nobody reaches the
	// server, both in the order of time.
	Managed []limit.ManagedStep
	Outages []limit.Outage

	// Parameters maps an algorithm's name to the parameters that replace its defaults, all as text.
	Parameters map[string]map[string]string
	Expect     []Expectation

	// Boundary: the scenario is about instants that are equal or a whole window apart, so that a millisecond more or
	// less may change what is admitted.
	Boundary bool

	// NamesContract: the file has a contract, instead of the default.
	NamesContract bool

	// NamesStart: the file has a start, instead of the default.
	NamesStart bool

	SHA256 string // of the file's bytes, in hexadecimal
}

// RowLabel is a further row of the file, and its place in the file.
type RowLabel struct {
	Label string // a label: a name, and :k=v for each parameter set
	Place string // file:line:column
}

// Expectation is what the file expects of one row, and its place in the file.
type Expectation struct {
	Algorithm string // a label: a name, and :k=v for each parameter set
	Measures  []Range
	Place     string // file:line:column
}

// LocalFlagSuffix ends the label of an algorithm's second row where clients have a local flag: after a rejection, they
// do not ask the server again until retry_after.
const LocalFlagSuffix = "+local-flag"

// Range is the values a measure may have, both ends included; an open end is an infinity.
type Range struct {
	Measure  string // as in the JSON of a result, one that measure.Expected allows
	Min, Max float64
}

// Contains reports whether v is as expected.
func (r Range) Contains(v float64) bool { return r.Min <= v && v <= r.Max }

// String is an exact value, or min..max with open ends left out.
func (r Range) String() string {
	if r.Min == r.Max {
		return formatNumber(r.Min)
	}
	return formatNumber(r.Min) + ".." + formatNumber(r.Max)
}

// formatNumber leaves an infinity out.
func formatNumber(v float64) string {
	if math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// DefaultStart is a midnight, and so a multiple of every window that divides a day.
var DefaultStart = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// OnLates are the legal values of on_late; the first is the default.
var OnLates = []string{"queue", "drop", "fatal"}

// Stream compiles the scenario's traffic with a seed, by default the scenario's.
func (s *Scenario) Stream(seed uint64) *traffic.Stream { return traffic.Compile(seed, s.Phases) }

// Reactive reports whether the scenario has clients, steps of the server's clock, or sequences.
func (s *Scenario) Reactive() bool {
	return s.Clients != nil || s.ServerClock != nil || s.Sequences != nil
}

// HasCosts reports whether requests may cost other than 1.
func (s *Scenario) HasCosts() bool {
	return slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool {
		trace, _ := p.Trace.(*accesslog.Trace)
		return p.Cost != nil || trace != nil && trace.Cost != ""
	})
}

// Recorded reports whether the traffic, or a part of it, was recorded.
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
