// Package algorithms defines the rate limiting algorithms: what each guarantees, which parameters it has, how its
// script is called, and a Go model that decides as the script does. Each algorithm is one file that registers itself.
// Its script is the file of the same base name in lua/, its hand-worked trace the one in testdata/. The package runs no
// script and opens no connection.
package algorithms

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/lua"
)

// Algorithm describes one algorithm: texts for listings, and code for runs.
//
// Related algorithms have colours of related hues: fixed windows warm ones, sliding windows blue, token buckets green,
// those that keep one moment in time purple. Six are those of Okabe and Ito ("Color Universal Design", 2008), without
// their yellow, which is too light for a thin line. TestPaletteStaysApart of the charts keeps the others apart from
// these and from each other, also for an eye that lacks red or green. Where Colour stays empty the charts choose one.
type Algorithm struct {
	Name       string      // its file's base name, flag value, key prefix and result row
	Family     string      // floor, window, log, bucket or shaper
	Place      int         // among all algorithms, the plainest first; 0: after the others
	Short      string      // the head of a narrow column, in two lines; empty: made from the label
	InWords    string      // the rule as examine names it; empty: made from the name, or that of the twin
	State      string      // what a key holds
	Rule       string      // when a request is admitted
	Bound      string      // the most that is admitted in an interval; L, W, B, r = L/W and N(τ) as in Bound of gcra
	Sources    []string    // addresses of the literature
	Colour     string      // in every chart and page, such as #cc79a7; empty: one of those of users' scripts
	Parameters []Parameter // what the limit does not fix
	Traits     Traits

	// Keeping returns settings that guarantee the window contract of p, each as in a label without the name:
	// "limit=90:burst=10". They admit a request of the largest cost if the limit does. What is no setting, such as "",
	// stands for the limit's own. nil: there are none.
	Keeping func(p limit.Policy, largestCost int64) []string

	// Second describes one of Keeping's settings, if every run under a window contract has a row of it.
	Second Second

	// Prepare computes the constants of a run. Its error says which limit the algorithm cannot enforce, and what to
	// change. Callers use Choice.Under, which checks the policy and completes the result.
	Prepare func(p limit.Policy, v Values) (Rule, error)
}

// Rule is an algorithm with its parameters, for one limit. Its guarantee and its models are those of all its
// gateways together.
type Rule struct {
	Label      string // the name, and :k=v for each parameter that was set
	Algorithm  *Algorithm
	Parameters map[string]string // all of the algorithm's, defaults included; of RowParameters those that were set
	Policy     limit.Policy      // the limit that it enforces; it may be measured against another one
	Gateways   *Gateways         // that each keep a count of their own; nil: there is one state

	Args []string // ARGV[3] and later, of the call that decides a request
	Init []string // ARGV[3] and later, of the call that configures a key before its first request; nil: none

	// Delete is ARGV[3] and later, of the call that deletes what Init configured; nil: there is none. It is no longer
	// than Init.
	Delete []string

	ClientTime    bool  // ARGV[1] is the client's clock; otherwise it is empty, and the script asks the server
	GranularityUS int64 // the client's clock is rounded down to a multiple of this many microseconds; at least 1

	// MostAdmitted is the algorithm's Bound as a number: the most that it admits for one key in any half-open interval
	// (t − w, t] of w = spanUS, at least 1 µs, when no request costs more than largestCost. nil: no guarantee.
	MostAdmitted func(spanUS, largestCost int64) int64

	// MostDeparting is the same for the moments when delayed requests leave; nil: none is delayed.
	MostDeparting func(spanUS, largestCost int64) int64

	// NewModel makes a model that decides as the script does, without any key yet. It gets the clock that the script
	// would read, so it rounds the client's time down itself. It keeps the keys' strings.
	NewModel func() limit.Model
}

// MostLetThrough is the guarantee for the moments when admitted requests leave. nil: no guarantee.
func (in *Rule) MostLetThrough() func(spanUS, largestCost int64) int64 {
	if in.MostDeparting != nil {
		return in.MostDeparting
	}
	return in.MostAdmitted
}

// Script is the algorithm's Lua, as it is deployed.
func (s *Algorithm) Script() string {
	source, err := lua.Source(s.Name)
	if err != nil {
		panic(err) // a missing file is a mistake of this program, and a test looks for it
	}
	return source
}

var registered = map[string]*Algorithm{}

// register makes an algorithm known; each file calls it on its first lines.
func register(s Algorithm) bool {
	if registered[s.Name] != nil {
		panic("algorithm registered twice: " + s.Name)
	}
	if s.InWords == "" && s.Traits.Twin == "" {
		s.InWords = "decides as " + s.Name
	}
	registered[s.Name] = &s
	return true
}

// All gives every algorithm: none, the floor, first, and the others by name.
func All() (all []Algorithm) {
	for _, name := range Names() {
		all = append(all, *registered[name])
	}
	return all
}

// Defaults gives every algorithm with its default parameters, in the order of All.
func Defaults() (all []Choice) {
	for _, name := range Names() {
		all = append(all, Choice{Label: name, Algorithm: registered[name], set: map[string]string{}})
	}
	return all
}

// Names gives every algorithm's name, in the order of All.
func Names() []string {
	first := map[bool]int{true: -1}
	return slices.SortedFunc(maps.Keys(registered), func(a, b string) int {
		return cmp.Or(first[IsFloor(a)]-first[IsFloor(b)], strings.Compare(a, b))
	})
}
