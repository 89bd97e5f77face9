package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// Setting is an algorithm with its numbers.
type Setting struct {
	Algorithm  string
	Policy     limit.Policy // of a bucket with its burst
	Subwindows int64        // 0: the algorithm has none
}

// Instance is the setting as it decides.
func (s Setting) Instance() (algorithms.Instance, error) {
	set := map[string]string{}
	if s.Subwindows > 0 {
		set["subwindows"] = strconv.FormatInt(s.Subwindows, 10)
	}
	choice, err := algorithms.Choose(s.Algorithm, set)
	if err != nil {
		return algorithms.Instance{}, err
	}
	return choice.Instance(s.Policy)
}

// model makes models of the setting. All have numbered keys: none is of a row on gateways, or under a coarse clock.
func (s Setting) model() (func() limit.Numbered, error) {
	in, err := s.Instance()
	if err != nil {
		return nil, err
	}
	return func() limit.Numbered { return in.NewModel().(limit.Numbered) }, nil
}

// IsBucket reports whether the setting has a burst.
func (s Setting) IsBucket() bool { return holds(s.Algorithm) }

// holds reports whether an algorithm has a capacity.
func holds(algorithm string) bool {
	choice, err := algorithms.Choose(algorithm, nil)
	return err == nil && choice.Spec.InRole(algorithms.Capacity) != nil
}

// splits reports whether an algorithm splits its windows.
func splits(algorithm string) bool {
	choice, err := algorithms.Choose(algorithm, nil)
	return err == nil && choice.Spec.InRole(algorithms.Parts) != nil
}

// the numbers of sub-windows that are tried.
const (
	fewParts  = 10
	manyParts = 60
)

// steps are how settings are spread: over shares of users that may be refused, or over limits.
type steps struct {
	shares  []float64 // of users that may be refused, ascending
	wish    float64   // one of shares, at which settings are closer
	factors []float64 // nil, or these of the limit with which nobody is refused, instead of shares
}

// The shares that are looked at besides the one that is wished; and where the backend alone counts, whoever is refused.
var (
	usual    = []float64{0, 0.01, 0.05, 0.2, 0.5}
	unspared = []float64{0, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9}
)

// stepsFor are those of a wish. Where requests are counted the limits of users say little: of a log with one key there
// is one, below which everybody is refused. Then limits lie between the one that refuses nobody and a twelfth of it.
func stepsFor(w *Wishes) steps {
	if w.Of == Requests {
		return steps{factors: []float64{1, 0.8, 0.6, 0.4, 0.2, 0.08}}
	}
	s := steps{shares: slices.Clone(unspared), wish: 0.001}
	if w.RefuseAtMost != nil {
		s.shares, s.wish = slices.Clone(usual), *w.RefuseAtMost
	}
	if !slices.Contains(s.shares, s.wish) {
		s.shares = append(s.shares, s.wish)
	}
	slices.Sort(s.shares)
	return s
}

// settings are what is tried of an algorithm: about twenty, and the present one.
func settings(algorithm string, c *Curves, s steps, w *Wishes, present *limit.Policy) []Setting {
	var all []Setting
	add := func(p limit.Policy, parts int64) {
		one := Setting{algorithm, p, parts}
		if _, err := one.Instance(); err == nil && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	switch {
	case holds(algorithm):
		for _, p := range s.buckets(c) {
			add(p, 0)
		}
	case splits(algorithm):
		for _, window := range c.Windows {
			for _, n := range s.limits(window.LogUsers, c.Users) {
				add(limit.Policy{Requests: n, Window: window.Window}, fewParts)
			}
			for _, n := range s.wider(window.LogUsers, c.Users) {
				add(limit.Policy{Requests: n, Window: window.Window}, fewParts)
				add(limit.Policy{Requests: n, Window: window.Window}, manyParts)
			}
		}
	default:
		for _, window := range c.Windows {
			users, filled := window.of(algorithm)
			for _, n := range s.limits(users, c.Users) {
				add(limit.Policy{Requests: n, Window: window.Window}, 0)
			}
			if !slices.Contains(exact, algorithm) {
				for _, n := range s.wider(users, c.Users) {
					add(limit.Policy{Requests: n, Window: window.Window}, 0)
				}
			}
			if filled != nil && w.Of == Requests && w.RefuseAtMost != nil {
				n := filled.Least(atMost(*w.RefuseAtMost, c.Requests), Distribution.Surplus)
				add(limit.Policy{Requests: n, Window: window.Window}, 0)
			}
		}
	}
	if present != nil {
		p := *present
		parts := int64(0)
		if splits(algorithm) {
			parts = fewParts
		}
		p.Contract = limit.ByWindow
		if !holds(algorithm) {
			p.Burst = 0
		} else {
			p.Burst = p.Capacity()
		}
		add(p, parts)
	}
	return all
}

// of are the curves that begin the search of an algorithm, and that of its windows where there is one.
func (w *WindowCurves) of(algorithm string) (users, filled Distribution) {
	switch algorithm {
	case "fixed-window":
		return w.FirstHitUsers, w.FirstHitWindows
	case "fixed-window-aligned":
		return w.AlignedUsers, w.AlignedWindows
	}
	return w.LogUsers, nil
}

// atMost is the largest whole number that is no more than the share of n. A share is given in decimal: 0.1 % of 3000
// is 3, whatever a double makes of it.
func atMost(share float64, n int64) int64 { return int64(math.Floor(share*float64(n) + 1e-9)) }

// limits are those at the steps: the smallest that refuse no more than each share of the users.
func (s *steps) limits(users Distribution, n int64) []int64 {
	var all []int64
	for _, f := range s.factors {
		least := users.Least(0, Distribution.Beyond)
		all = append(all, max(1, int64(math.Ceil(float64(least)*f))))
	}
	for _, share := range s.shares {
		all = append(all, users.Least(atMost(share, n), Distribution.Beyond))
	}
	return distinct(all)
}

// wider are limits above those that the log needs, for algorithms that refuse what it does not.
func (s *steps) wider(users Distribution, n int64) []int64 {
	var all []int64
	if s.factors != nil {
		least := users.Least(0, Distribution.Beyond)
		return distinct([]int64{widened(least), least, widened(least / 2)})
	}
	for _, share := range []float64{0, s.wish} {
		all = append(all, widened(users.Least(atMost(share, n), Distribution.Beyond)))
	}
	return distinct(all)
}

// widened is a quarter more, at least one.
func widened(n int64) int64 { return n + (n+3)/4 }

func distinct(all []int64) []int64 {
	slices.Sort(all)
	return slices.Compact(all)
}

// buckets are rates with bursts at the steps. Eight rates have the burst that the wish needs, three those of the
// other shares.
func (s *steps) buckets(c *Curves) []limit.Policy {
	var all []limit.Policy
	if s.factors != nil {
		for _, p := range c.frontier(0, 5) {
			for _, f := range []float64{1, 0.5, 0.25, 0.1} {
				one := p
				one.Burst = max(1, int64(math.Ceil(float64(p.Burst)*f)))
				all = append(all, one)
			}
		}
		return all
	}
	for _, share := range s.shares {
		rates := 3
		if share == s.wish {
			rates = 8
		}
		all = append(all, c.frontier(share, rates)...)
	}
	return all
}

// frontier are so many of the buckets that refuse no more than a share of the users and of which none has both a
// larger rate and a larger burst than it needs: each has the least burst of its rate, and a slower one would need more.
// A bucket that takes longer to fill than the part lasts is a quota for the whole of it, and says nothing of a rate.
func (c *Curves) frontier(share float64, most int) []limit.Policy {
	var all []limit.Policy
	for i, rate := range c.Rates {
		p := rate.Rate
		p.Burst = rate.Users.Least(atMost(share, c.Users), Distribution.Beyond)
		last := i == len(c.Rates)-1 && len(all) == 0 // of a very short part no bucket would be left
		if p.Burst > limit.MaxRequests || filling(p) > c.Span && !last {
			continue
		}
		if n := len(all); n == 0 || p.Burst < all[n-1].Burst {
			all = append(all, p)
		}
	}
	return spread(all, most)
}

// near are settings about as large. Those of buckets have the rates next to theirs on the grid, of which the curves
// know.
func (s Setting) near(g *grid, span time.Duration) []Setting {
	var all []Setting
	add := func(p limit.Policy) {
		one := s
		one.Policy = p
		if _, err := one.Instance(); err == nil && one != s && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	if !s.IsBucket() {
		for _, tenths := range []int64{7, 8, 9, 11, 12, 14} {
			p := s.Policy
			p.Requests = max(1, p.Requests*tenths/10)
			add(p)
		}
		return all
	}
	at := slices.IndexFunc(g.rates, func(p limit.Policy) bool {
		return p.Requests == s.Policy.Requests && p.Window == s.Policy.Window
	})
	for i := max(0, at-1); i <= min(at+1, len(g.rates)-1); i++ {
		for _, tenths := range []int64{6, 8, 10, 13} {
			p := g.rates[i]
			if p.Burst = max(1, s.Policy.Capacity()*tenths/10); filling(p) <= span {
				add(p)
			}
		}
	}
	return all
}

// inOrder sorts settings as people read them: by algorithm, window, limit, burst, sub-windows.
func inOrder(a, b Setting) int {
	return cmp.Or(cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Policy.Window, b.Policy.Window),
		cmp.Compare(a.Policy.Requests, b.Policy.Requests), cmp.Compare(a.Policy.Burst, b.Policy.Burst),
		cmp.Compare(a.Subwindows, b.Subwindows))
}

// Limit is the setting's rate, such as 100/1m.
func (s Setting) Limit() string {
	return fmt.Sprintf("%d/%s", s.Policy.Requests, limit.FormatDuration(s.Policy.Window.Round(time.Microsecond)))
}
