package examine

import (
	"fmt"
	"math"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// sizes is a limit as rules see it. Rules with a window use atOnce instead of the limit.
type sizes struct {
	limit, burst, windowUS int64
	atOnce                 int64   // admitted in the first volley
	tokenUS                float64 // the time in which one token is earned
	lateUS                 int64   // error of the script's clock: see departures
}

// state holds what a rule remembers about a key. It is updated with the script's decisions, right or wrong, so that
// each decision is judged by itself.
type state interface {
	room(atUS int64) float64                      // how much would be admitted
	took(atUS int64, cost float64, admitted bool) // what the script decided
}

// rule is a known way to decide.
type rule struct {
	label string // of the algorithm with this rule; "": none
	words string // describes the rule; "": take the algorithm's words
	begin func(sizes) state
}

// name describes the rule in words.
func (r *rule) name() string {
	if r.words != "" {
		return r.words
	}
	return algorithms.Of(r.label).InWords
}

// most returns the largest cost that the rule admits in a window, or 0 if it is unknown.
func (r *rule) most(p limit.Policy) int64 {
	choice, err := algorithms.Parse(r.label)
	if r.label == "" || err != nil {
		return 0
	}
	one, err := choice.Under(p)
	if err != nil || one.MostAdmitted == nil {
		return 0
	}
	return one.MostAdmitted(p.WindowUS(), 1)
}

// rules returns the known rules, the simplest first. If several rules explain everything, the first is named.
func rules() []rule {
	byExpiry := labelled(func(a *algorithms.Algorithm) bool { return a.Traits.TTLRule })
	byIntervals := labelled(func(a *algorithms.Algorithm) bool {
		return a.Traits.Twin != "" && !a.Traits.Lends && a.Traits.Grid
	})
	lending := labelled(func(a *algorithms.Algorithm) bool { return a.Traits.Lends })
	aligned := algorithms.Of(byIntervals).Traits.Twin
	weighted := labelled(func(a *algorithms.Algorithm) bool { return a.Traits.Aligned && a.Name != aligned })
	return slices.Concat([]rule{
		{byExpiry, "", func(z sizes) state { return &fixed{sizes: z} }},
		{byExpiry, "a fixed window that begins at the first request, even a rejected one", func(z sizes) state {
			return &fixed{sizes: z, byAll: true}
		}},
		{aligned, "", func(z sizes) state { return &counter{sizes: z, aligned: true, weight: nothing} }},
		{algorithms.Exact(limit.ByWindow).Label, "", func(z sizes) state { return &log{sizes: z} }},
		{algorithms.Exact(limit.ByBucket).Label, "", func(z sizes) state { return &bucket{sizes: z} }},
		{weighted, "", func(z sizes) state { return &counter{sizes: z, aligned: true, weight: part} }},
		{"", "a sliding window, weighted from two counters, that admits while anything is left", func(z sizes) state {
			return &counter{sizes: z, aligned: true, weight: part, rounds: true}
		}},
		{"", "a sliding window, weighted from two counters, that begins at the first request", func(z sizes) state {
			return &counter{sizes: z, weight: part}
		}},
		{"", "a sliding window, weighted from two counters, that begins at the first request and admits while " +
			"anything is left", func(z sizes) state { return &counter{sizes: z, weight: part, rounds: true} }},
		{"", "a sliding window from two counters, whose weight is inverted", func(z sizes) state {
			return &counter{sizes: z, aligned: true, weight: inverted}
		}},
		{byIntervals, "", func(z sizes) state { return &refilled{sizes: z, by: min(z.limit, z.burst)} }},
		{"", "a bucket that is refilled once a window, on a grid that stays", func(z sizes) state {
			return &refilled{sizes: z, by: min(z.limit, z.burst), stays: true}
		}},
		{"", "a bucket that is filled once in the time of its burst", func(z sizes) state {
			return &refilled{sizes: z, by: z.burst}
		}},
		{lending, "a bucket that is refilled once a window, and lends", func(z sizes) state {
			return &refilled{sizes: z, by: min(z.limit, z.burst), debt: z.burst - 1, lends: true}
		}},
	}, parts(10))
}

// labelled returns the label of the first algorithm for which is holds, or "".
func labelled(is func(*algorithms.Algorithm) bool) string {
	for _, c := range algorithms.ByPlace() {
		if is(c.Algorithm) {
			return c.Label
		}
	}
	return ""
}

// moreParts returns rules for windows with other numbers of parts, for scripts that no other rule explains.
func moreParts() (strict, loose []rule) {
	for _, n := range []int64{2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 24, 30, 32, 50, 60, 64, 100, 120} {
		both := parts(n)
		strict, loose = append(strict, both[0]), append(loose, both[1])
	}
	return strict, loose
}

// parts returns the rules for a window of n parts. One counts all parts that overlap the window, the other only the
// last n.
func parts(n int64) []rule {
	split := labelled(func(a *algorithms.Algorithm) bool { return a.InRole(algorithms.Parts) != nil })
	in := fmt.Sprintf("a sliding window of %d parts", n)
	if n == 10 {
		in = algorithms.Of(split).InWords
	}
	return []rule{
		{fmt.Sprintf("%s:parts=%d", split, n), in,
			func(z sizes) state { return &parted{sizes: z, n: n, counted: n + 1} }},
		{"", in + " that forgets the oldest part early",
			func(z sizes) state { return &parted{sizes: z, n: n, counted: n} }},
	}
}

// fixed is a window that begins at the first request.
type fixed struct {
	sizes
	byAll   bool // a rejected request also begins a window
	open    bool
	beginUS int64
	used    float64
}

func (s *fixed) over(atUS int64) bool { return !s.open || atUS >= s.beginUS+s.windowUS+s.lateUS }

func (s *fixed) room(atUS int64) float64 {
	if s.over(atUS) {
		return float64(s.atOnce)
	}
	return float64(s.atOnce) - s.used
}

func (s *fixed) took(atUS int64, cost float64, admitted bool) {
	if !admitted && !s.byAll {
		return
	}
	if s.over(atUS) {
		s.open, s.beginUS, s.used = true, atUS, 0
	}
	if admitted {
		s.used += cost
	}
}

// counter counts the current and the previous window. The previous one has a weight.
type counter struct {
	sizes
	aligned, rounds bool
	weight          func(into float64) float64
	open            bool
	beginUS         int64
	now, last       float64
}

func nothing(float64) float64       { return 0 }
func part(into float64) float64     { return 1 - into }
func inverted(into float64) float64 { return into }

// at returns the counts at an instant.
func (s *counter) at(atUS int64) (beginUS int64, now, last float64) {
	if s.aligned {
		begin := floor(atUS+s.lateUS, s.windowUS)
		switch {
		case !s.open || begin > s.beginUS+s.windowUS:
			return begin, 0, 0
		case begin > s.beginUS:
			return begin, 0, s.now
		}
		return s.beginUS, s.now, s.last
	}
	late := atUS + s.lateUS
	switch {
	case !s.open || late >= s.beginUS+2*s.windowUS:
		return late, 0, 0
	case late >= s.beginUS+s.windowUS:
		return s.beginUS + s.windowUS, 0, s.now
	}
	return s.beginUS, s.now, s.last
}

func (s *counter) room(atUS int64) float64 {
	begin, now, last := s.at(atUS)
	into := max(0, min(1, float64(atUS+s.lateUS-begin)/float64(s.windowUS)))
	left := float64(s.atOnce) - now - last*s.weight(into)
	if s.rounds {
		return math.Ceil(left - 1e-9)
	}
	return left
}

func (s *counter) took(atUS int64, cost float64, admitted bool) {
	if admitted {
		s.beginUS, s.now, s.last = s.at(atUS)
		s.open = true
		s.now += cost
	}
}

// log keeps all admitted requests of the last window.
type log struct {
	sizes
	at   []int64
	cost []float64
}

func (s *log) room(atUS int64) float64 {
	left := float64(s.atOnce)
	for i := len(s.at) - 1; i >= 0 && s.at[i] > atUS-s.windowUS; i-- {
		left -= s.cost[i]
	}
	return left
}

func (s *log) took(atUS int64, cost float64, admitted bool) {
	if admitted {
		s.at, s.cost = append(s.at, atUS), append(s.cost, cost)
	}
}

// bucket refills continuously.
type bucket struct {
	sizes
	emptyUS float64 // when the tokens that were taken will have been refilled
}

func (s *bucket) room(atUS int64) float64 {
	return float64(s.atOnce) - max(0, s.emptyUS-float64(atUS))/s.tokenUS
}

func (s *bucket) took(atUS int64, cost float64, admitted bool) {
	if admitted {
		s.emptyUS = max(s.emptyUS, float64(atUS)) + cost*s.tokenUS
	}
}

// refilled is a bucket that is refilled at whole intervals since its first request.
type refilled struct {
	sizes
	by, debt int64
	stays    bool // the grid remains after the key has expired
	lends    bool
	open     bool
	lastUS   float64
	diesUS   float64
	tokens   float64
}

func (s *refilled) intervalUS() float64 { return math.Ceil(float64(s.by) * s.tokenUS) }

func (s *refilled) at(atUS int64) (lastUS, tokens float64) {
	now, full := float64(atUS), float64(s.atOnce)
	if !s.open || !s.stays && now > s.diesUS+float64(s.lateUS) {
		return now, full
	}
	intervals := max(0, math.Floor((now-s.lastUS-float64(s.lateUS))/s.intervalUS()))
	return s.lastUS + intervals*s.intervalUS(), min(full, s.tokens+intervals*float64(s.by))
}

func (s *refilled) room(atUS int64) float64 {
	_, tokens := s.at(atUS)
	if s.debt > 0 && tokens > 0 {
		return min(float64(s.atOnce), tokens+float64(s.debt))
	}
	return tokens
}

func (s *refilled) took(atUS int64, cost float64, admitted bool) {
	if !admitted {
		return
	}
	s.lastUS, s.tokens = s.at(atUS)
	s.open = true
	s.tokens -= cost
	earned := float64(s.atOnce)
	if s.lends {
		earned -= s.tokens
	}
	s.diesUS = max(float64(atUS), s.lastUS) + math.Ceil(earned/float64(s.by))*s.intervalUS()
}

// parted is a window that consists of parts, with a count for each.
type parted struct {
	sizes
	n, counted int64
	ends       []int64
	used       []float64
}

// part returns the number of the part at an instant. Parts are counted from 1970.
func (s *parted) part(atUS int64) int64 {
	return int64(math.Floor(float64(atUS+s.lateUS) * float64(s.n) / float64(s.windowUS)))
}

func (s *parted) room(atUS int64) float64 {
	left, now := float64(s.atOnce), s.part(atUS)
	for i := len(s.ends) - 1; i >= 0 && s.ends[i] > now-s.counted; i-- {
		left -= s.used[i]
	}
	return left
}

func (s *parted) took(atUS int64, cost float64, admitted bool) {
	if admitted {
		s.ends, s.used = append(s.ends, s.part(atUS)), append(s.used, cost)
	}
}

// decide returns the decisions of a limiter with the rule on a play.
func (r *rule) decide(p *outcome, z sizes) []limit.Decision {
	states := map[string]state{}
	all := make([]limit.Decision, len(p.asks))
	for i, q := range p.asks {
		s := states[q.Key]
		if s == nil {
			s = r.begin(z)
			states[q.Key] = s
		}
		at, cost := scenario.DefaultStart.UnixMicro()+p.startUS+q.AtUS, float64(q.Cost)
		all[i].Verdict = limit.Rejected
		if cost <= s.room(at)+1e-9 {
			all[i].Verdict = limit.Allowed
		}
		s.took(at, cost, all[i].Allowed())
	}
	return all
}

func floor(us, stepUS int64) int64 { return us - ((us%stepUS)+stepUS)%stepUS }

// departures returns how many decisions of the play differ from the rule: over counts admitted requests that the rule
// rejects, under counts rejected requests that the rule admits. first is the index of the first such decision. Scripts
// round times, so a decision is also right if the rule would have made it up to toleranceUS earlier or later, or with
// windows that begin or end that much earlier or later.
func (r *rule) departures(p *outcome, z sizes, epochUS, toleranceUS int64) (over, under int64, first int) {
	states := map[string][]state{}
	begin := func() (all []state) {
		for _, late := range []int64{0, -toleranceUS, toleranceUS} {
			z.lateUS = late
			all = append(all, r.begin(z))
		}
		return all
	}
	first = -1
	for i, q := range p.asks {
		all := states[q.Key]
		if all == nil {
			all = begin()
			states[q.Key] = all
		}
		at, cost, admitted := epochUS+p.startUS+q.AtUS, float64(q.Cost), p.got[i].Allowed()
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range all {
			for _, off := range [...]int64{0, -toleranceUS, toleranceUS} {
				room := s.room(at + off)
				low, high = min(low, room), max(high, room)
			}
			s.took(at, cost, admitted)
		}
		wrong := false
		switch {
		case admitted && cost > high+1e-6:
			over++
			wrong = true
		case !admitted && cost <= low+1e-9:
			under++
			wrong = true
		}
		if wrong && first < 0 {
			first = i
		}
	}
	return over, under, first
}
