// Package algorithms defines the rate limiting algorithms: the guarantee and the parameters of each, the call of its
// script, and a Go model that decides as the script does. Each algorithm is one file that registers itself. Its script
// is the file with the same base name in lua/, and its hand-worked trace the one in testdata/. The package runs no
// scripts and opens no connections.
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
// Related algorithms have similar hues: warm for fixed windows, blue for sliding windows, green for token buckets, and
// purple for algorithms that keep one timestamp. Six colours are from Okabe and Ito ("Color Universal Design", 2008),
// without their yellow, which is too light for a thin line. TestPaletteStaysApart of the charts checks that all colours
// differ enough, also for people who cannot see red or green. If Colour is empty, the charts choose a colour.
type Algorithm struct {
	Name       string      // its file's base name, also in flags, key prefixes and result rows
	Family     string      // floor, window, log, bucket or shaper
	Place      int         // its place among all algorithms, the simplest first; 0: after the others
	Short      string      // the heading of a narrow column, in two lines; empty: made from the label
	InWords    string      // the rule as examine names it; empty: made from the name, or the twin's
	State      string      // what a key holds
	Rule       string      // when a request is admitted
	Bound      string      // the most that is admitted in an interval; L, W, B, r = L/W and N(τ) as in Bound of gcra
	Sources    []string    // addresses of the literature
	Colour     string      // in all charts and pages, such as #cc79a7; empty: one of the colours of users' scripts
	Parameters []Parameter // the properties that the limit does not determine
	Traits     Traits

	// Keeping returns settings that guarantee the window contract of p, each as in a label without the name:
	// "limit=90:burst=10". They admit a request of the largest cost if the limit does. A text that is not a setting,
	// such as "", stands for the limit's own setting. nil means that there are no such settings.
	Keeping func(p limit.Policy, largestCost int64) []string

	// Second describes one of Keeping's settings, if every run under a window contract has a row of it.
	Second Second

	// Prepare computes the constants of a run. Its error names a limit that the algorithm cannot enforce, and the
	// remedy. Callers use Choice.Under, which checks the policy and completes the result.
	Prepare func(p limit.Policy, v Values) (Rule, error)
}

// Rule is an algorithm with its parameters, for one limit. Its guarantee and its models cover all its gateways
// together.
type Rule struct {
	Label      string // the name, and :k=v for each parameter that was set
	Algorithm  *Algorithm
	Parameters map[string]string // all of the algorithm's, defaults included, and those of RowParameters that were set
	Policy     limit.Policy      // the limit that it enforces; the run may measure it against another one
	Gateways   *Gateways         // gateways that count separately; nil: there is one state

	Args []string // ARGV[3] and later in the call that decides a request
	Init []string // ARGV[3] and later in the call that configures a key before its first request; nil: no such call

	// Delete is ARGV[3] and later in the call that deletes what Init configured; nil: no such call. It is not longer
	// than Init.
	Delete []string

	ClientTime    bool  // ARGV[1] is the client's clock; otherwise it is empty, and the script asks the server
	GranularityUS int64 // the client's clock is rounded down to a multiple of this; at least 1

	// MostAdmitted is the algorithm's Bound as a number: the most that it admits for one key in any half-open interval
	// (t − w, t] with w = spanUS, at least 1 µs, if no request costs more than largestCost. nil means no guarantee.
	MostAdmitted func(spanUS, largestCost int64) int64

	// MostDeparting is the same for the times when delayed requests leave; nil: it delays no requests.
	MostDeparting func(spanUS, largestCost int64) int64

	// NewModel makes a model without keys that decides as the script does. The model gets the clock that the script
	// would read, so it rounds the client's time down itself. It keeps references to the keys' strings.
	NewModel func() limit.Model
}

// MostLetThrough returns the guarantee for the times when admitted requests leave, or nil if there is no guarantee.
func (in *Rule) MostLetThrough() func(spanUS, largestCost int64) int64 {
	if in.MostDeparting != nil {
		return in.MostDeparting
	}
	return in.MostAdmitted
}

// Script returns the algorithm's Lua code as it is deployed.
func (s *Algorithm) Script() string {
	source, err := lua.Source(s.Name)
	if err != nil {
		panic(err) // a missing file is a fault of this program; a test checks for it
	}
	return source
}

var registered = map[string]*Algorithm{}

// register adds an algorithm. Each file calls it in its first lines.
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

// All returns all algorithms: first none, the floor, then the others by name.
func All() (all []Algorithm) {
	for _, name := range Names() {
		all = append(all, *registered[name])
	}
	return all
}

// Defaults returns all algorithms with their default parameters, in the order of All.
func Defaults() (all []Choice) {
	for _, name := range Names() {
		all = append(all, Choice{Label: name, Algorithm: registered[name], set: map[string]string{}})
	}
	return all
}

// Names returns the names of all algorithms, in the order of All.
func Names() []string {
	first := map[bool]int{true: -1}
	return slices.SortedFunc(maps.Keys(registered), func(a, b string) int {
		return cmp.Or(first[IsFloor(a)]-first[IsFloor(b)], strings.Compare(a, b))
	})
}
