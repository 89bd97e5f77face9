package algorithms

import (
	"cmp"
	"slices"
	"strings"

	"ratelab/internal/limit"
)

// Reduced is how the first of Keeping's settings is shown.
type Reduced struct {
	Short string // as that of an Algorithm; empty: no run has a row of it
	Words string // what the Short of both settings means
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
	Timed   bool // what is used up is kept as a time: after a change of the rate it is another number of permits

	// LifeMS is a key's TTL in Redis, in milliseconds, after a reply with resetUS; nil: resetUS and a second, rounded
	// up.
	LifeMS func(resetUS, windowUS int64) int64
}

// Of returns the algorithm of a row's label, such as gcra:burst=10 or gcra+local-flag. It returns nil for a label that
// is no algorithm's, such as a user's script's.
func Of(label string) *Algorithm {
	if end := strings.IndexAny(label, ":+"); end >= 0 {
		label = label[:end]
	}
	return registered[label]
}

// TraitsOf returns the traits of a row's algorithm. Other labels have none.
func TraitsOf(label string) (t Traits) {
	if a := Of(label); a != nil {
		t = a.Traits
	}
	return t
}

// IsFloor reports whether a row's algorithm is the floor, which admits everything and is not compared.
func IsFloor(label string) bool {
	a := Of(label)
	return a != nil && a.Family == "floor"
}

// IsExact reports whether a label's limiter is the contract itself. With parameters it is another limiter.
func IsExact(label string, c limit.Contract) bool {
	return registered[label] != nil && slices.Contains(registered[label].Traits.ExactFor, c)
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

// Guaranteeing returns the settings that guarantee the contract of p for any traffic, as far as the algorithms name
// them.
func Guaranteeing(p limit.Policy) (all []Choice) {
	for _, c := range Defaults() {
		if IsExact(c.Label, p.Contract) {
			all = append(all, c)
		}
		if a := c.Algorithm; a.Keeping != nil && p.Contract == limit.ByWindow {
			for _, parameters := range a.Keeping(p) {
				all = append(all, legal(a.Name+":"+parameters))
			}
		}
	}
	return all
}

// ReducedLabel returns the label of the setting that Reduced describes. It is empty where there is none: under a limit
// of 1, for example.
func (s *Algorithm) ReducedLabel(p limit.Policy) string {
	if s.Reduced.Short == "" || s.Keeping(p)[0] == "" {
		return ""
	}
	return s.Name + ":" + s.Keeping(p)[0]
}

// ReducedRows returns the rows that every run under p has besides the algorithms' default rows.
func ReducedRows(p limit.Policy) (all []Choice) {
	for _, a := range All() {
		if label := a.ReducedLabel(p); label != "" && p.Contract == limit.ByWindow {
			all = append(all, legal(label))
		}
	}
	return all
}

// legal reads a label that an algorithm's own file makes.
func legal(label string) Choice {
	c, err := Parse(strings.TrimSuffix(label, ":"))
	if err != nil {
		panic(err) // a mistake of that file, which a test looks for
	}
	return c
}
