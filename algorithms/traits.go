package algorithms

import (
	"cmp"
	"slices"
	"strings"

	"ratelab/internal/limit"
)

// Second is how the second row of an algorithm is shown.
type Second struct {
	Setting int    // its place in Keeping
	Short   string // as that of an Algorithm; empty: there is no second row
	Words   string // what the Short of both rows means
}

// Traits are what other packages need to know of an algorithm, so that none of them decides by its name; and its
// exceptions to the laws of laws_test.go. An algorithm with a new kind of exception adds a trait here, and the check of
// it to the law.
type Traits struct {
	ExactFor  []limit.Contract // with the limit's own setting it admits what the contract allows, and nothing else
	Usual     []limit.Contract // it is widely used for these, whether or not it guarantees them
	Twin      string           // the algorithm that decides nearly alike; a narrow matrix shows that one alone
	Entries   bool             // a key holds each admitted request of a window, so that its bytes grow with the limit
	Managed   bool             // keys are configured, and stay until somebody deletes them
	RedisRate bool             // redis_rate, https://github.com/go-redis/redis_rate, decides alike

	TTLRule bool // a key's expiry ends its window: now_us is not read, and times hold to the millisecond
	Aligned bool // a clock that steps back into an older window finds that window's own count
	Grid    bool // windows, or refills, lie where the clock puts them, not where the first request does
	Lends   bool // the balance may be negative: a full burst is admitted before the bucket is full
	Tiers   bool // several limits hold at once: a full burst may be back before all of them forget what was admitted
	Timed   bool // what is used up is kept as a time: after a change of the rate it is another number of permits
}

// NameOf returns the name with which a row's label begins: gcra of gcra:burst=10 and of gcra+local-flag.
func NameOf(label string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(label, "+", ":"), ":")
	return name
}

// Of returns the algorithm of a row's label. That of any other label, such as a user's script's, is empty.
func Of(label string) *Algorithm { return cmp.Or(registered[NameOf(label)], &Algorithm{}) }

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

// ByPlace returns every algorithm with its default parameters, in the order of their places.
func ByPlace() []Choice {
	place := func(c Choice) uint { return uint(c.Algorithm.Place) - 1 } // of 0 the largest
	all := Defaults()
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// Guaranteeing returns the settings that guarantee the contract of p for any traffic and that admit a request of the
// largest cost, as far as the algorithms name them.
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

// keeping returns the settings that Keeping names. One that is none is the limit's own: of a limit of 1 nothing is left
// to reduce, and no two requests can surround an edge.
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

// SecondUnder returns the setting that Second describes, for a limit. If Second describes none, the label is empty.
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
