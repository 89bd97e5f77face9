package examine

import (
	"fmt"
	"math"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// sizes are a limit as rules see it. A rule of a window goes by what is admitted at once in place of the limit.
type sizes struct {
	limit, burst, windowUS int64
	atOnce                 int64   // the first volley
	permitUS               float64 // in which one permit is earned
	lateUS                 int64   // by which a script's clock is off: see judge
}

// state is what a rule remembers of a key. It is told what the script has decided, right or wrong, so that each
// decision is judged by itself.
type state interface {
	room(atUS int64) float64                      // how much would pass
	took(atUS int64, cost float64, admitted bool) // what the script did
}

// rule is a way to decide.
type rule struct {
	label string // the algorithm that decides so; "": none does
	words string // of the rule; "": the algorithm's
	begin func(sizes) state
}

// name is the rule in words.
func (r *rule) name() string {
	if r.words != "" {
		return r.words
	}
	return algorithms.Of(r.label).InWords
}

// most is the largest cost that the rule admits in a window, and how much that is beyond the contract; 0: unknown.
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

// rules are those that are known, the plainest first. Where several explain everything, the first is named.
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
		{byExpiry, "a fixed window that begins at the first request, be it rejected", func(z sizes) state {
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

// labelled is the label of the first algorithm that is so.
func labelled(is func(*algorithms.Algorithm) bool) string {
	for _, c := range algorithms.ByPlace() {
		if is(c.Algorithm) {
			return c.Label
		}
	}
	return ""
}

// moreParts are windows of other numbers of parts, for scripts that no other rule explains.
func moreParts() (strict, loose []rule) {
	for _, n := range []int64{2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 24, 30, 32, 50, 60, 64, 100, 120} {
		both := parts(n)
		strict, loose = append(strict, both[0]), append(loose, both[1])
	}
	return strict, loose
}

// parts are the rules of a window of n parts: all that touch the window count, or so many.
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
	byAll   bool // a rejected request begins one as well
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

// counter has a count of this window and of the last one, which still counts with a weight.
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

// at is what the counts are at a time.
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

// log has each admitted request of the last window.
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

// bucket refills steadily.
type bucket struct {
	sizes
	emptyUS float64 // when as much has been earned as was taken
}

func (s *bucket) room(atUS int64) float64 {
	return float64(s.atOnce) - max(0, s.emptyUS-float64(atUS))/s.permitUS
}

func (s *bucket) took(atUS int64, cost float64, admitted bool) {
	if admitted {
		s.emptyUS = max(s.emptyUS, float64(atUS)) + cost*s.permitUS
	}
}

// refilled is a bucket that is refilled at whole intervals from its first request on.
type refilled struct {
	sizes
	by, debt int64
	stays    bool // the grid outlives the key
	lends    bool
	open     bool
	lastUS   float64
	diesUS   float64
	tokens   float64
}

func (s *refilled) intervalUS() float64 { return math.Ceil(float64(s.by) * s.permitUS) }

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

// parted is a window of parts, each with a count.
type parted struct {
	sizes
	n, counted int64
	ends       []int64
	used       []float64
}

// end is the number of the part, since 1970.
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

func floor(us, stepUS int64) int64 { return us - ((us%stepUS)+stepUS)%stepUS }

// departures is how many decisions of the play a rule does not explain: requests that it would have rejected, and
// requests that it would have admitted; and the number of the first of them. A script rounds times: what the rule would
// have decided so much earlier or later is right as well, and so is a window that begins or ends by so much early or
// late.
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
