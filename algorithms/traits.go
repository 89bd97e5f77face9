package algorithms

import (
	"cmp"
	"slices"
	"strings"

	"ratelab/internal/limit"
)

// Second describes a second row that an algorithm has in every run.
type Second struct {
	Setting int    // its index in Keeping
	Short   string // as in Algorithm; empty: there is no second row
	Words   string // explains the Short of both rows
}

// Traits are the properties of an algorithm that other packages need, so that no package decides by an algorithm's
// name. They also include its exceptions to the laws of laws_test.go. An algorithm with a new kind of exception adds a
// trait here, and a check of the trait to the law.
type Traits struct {
	ExactFor  []limit.Contract // contracts whose exact limiter this is, with the limit's own setting
	Usual     []limit.Contract // contracts for which it is widely used, whether or not it guarantees them
	Twin      string           // the algorithm with nearly the same decisions; a narrow matrix shows only that one
	Entries   bool             // a key holds each admitted request of a window, so its size grows with the limit
	Managed   bool             // keys are configured, and exist until a user deletes them
	RedisRate bool             // redis_rate, https://github.com/go-redis/redis_rate, makes the same decisions

	TTLRule bool // a key's expiry ends its window: now_us is not read, and times are exact to the millisecond
	Aligned bool // after a step back of the clock into an older window, that window's own count applies
	Grid    bool // the clock determines where windows or refills begin, not the first request
	Lends   bool // the balance may be negative: a full burst may be admitted before the bucket is full
	// several limits apply together: a full burst may be possible before all of them have forgotten earlier requests
	Tiers bool
	Timed bool // the used part is stored as a time: after a change of the rate it is a different number of tokens
}

// NameOf returns the name at the beginning of a row's label: gcra for gcra:burst=10 and for gcra+local-flag.
func NameOf(label string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(label, "+", ":"), ":")
	return name
}

// Of returns the algorithm of a row's label. For other labels, such as a user's script's, it returns an empty one.
func Of(label string) *Algorithm {
	return cmp.Or(registered[NameOf(label)], special[NameOf(label)], &Algorithm{})
}

// IsFloor reports whether a row's algorithm is the floor, which admits everything and is not compared.
func IsFloor(label string) bool { return Of(label).Family == "floor" }

// IsExact reports whether a label's limiter is the contract itself. With parameters it is another limiter.
func IsExact(label string, c limit.Contract) bool {
	return label == NameOf(label) && slices.Contains(Of(label).Traits.ExactFor, c)
}

// Exact returns the limiter that is the contract itself.
func Exact(c limit.Contract) Choice {
	all := ByPlace()
	return all[slices.IndexFunc(all, func(a Choice) bool { return IsExact(a.Label, c) })]
}

// ByPlace returns all algorithms with their default parameters, in the order of their places.
func ByPlace() []Choice {
	place := func(c Choice) uint { return uint(c.Algorithm.Place) - 1 } // 0 becomes the largest
	all := Defaults()
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// Guaranteeing returns the known settings that guarantee the contract of p for any traffic and admit a request of the
// largest cost.
func Guaranteeing(p limit.Policy, largestCost int64) (all []Choice) {
	for _, c := range Defaults() {
		if IsExact(c.Label, p.Contract) {
			all = append(all, c)
		}
		if p.Contract == limit.ByWindow {
			all = append(all, c.Algorithm.keeping(p, largestCost)...)
		}
	}
	return all
}

// keeping returns the settings that Keeping names. If a setting is invalid, it returns the limit's own setting instead.
// This happens for a limit of 1: it cannot be reduced, and it never admits two requests around a window's edge.
func (s *Algorithm) keeping(p limit.Policy, largestCost int64) (all []Choice) {
	if s.Keeping == nil {
		return nil
	}
	for _, parameters := range s.Keeping(p, largestCost) {
		c, err := Parse(s.Name + ":" + parameters)
		if err != nil {
			c, _ = Parse(s.Name)
		}
		all = append(all, c)
	}
	return all
}

// SecondUnder returns the setting that Second describes, for a limit. If there is no second row, the label is empty.
func (s *Algorithm) SecondUnder(p limit.Policy) (c Choice) {
	if s.Second.Short == "" {
		return c
	}
	if second := s.keeping(p, 1)[s.Second.Setting]; second.Label != s.Name {
		c = second
	}
	return c
}

// SecondRows returns the rows that every run under p has besides the algorithms' default rows.
func SecondRows(p limit.Policy) (all []Choice) {
	for _, a := range All() {
		if c := a.SecondUnder(p); c.Label != "" && p.Contract == limit.ByWindow {
			all = append(all, c)
		}
	}
	return all
}
