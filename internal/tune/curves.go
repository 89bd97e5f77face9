package tune

import (
	"math"
	"time"

	"ratelab/internal/limit"
)

// Curves are what is known exactly of one part of the traffic, for every limit at once, after one pass over it. They
// are of good users only.
type Curves struct {
	Users    int64 // who have any request
	Requests int64
	UnitCost bool          // every request costs 1
	Span     time.Duration // how long the part lasts
	Windows  []WindowCurves
	Rates    []RateCurve
}

// WindowCurves are those of windows of one length. Users is by the smallest limit with which a user is never refused.
type WindowCurves struct {
	Window                          time.Duration
	LogUsers                        Distribution
	AlignedUsers, FirstHitUsers     Distribution
	AlignedWindows, FirstHitWindows Distribution // by the requests in them; nil where costs differ
}

// RateCurve is by the smallest burst with which a user is never refused by a bucket of a rate.
type RateCurve struct {
	Rate  limit.Policy // without a burst
	Users Distribution
}

// survey makes curves in one pass: the state is per key, and no request is kept beyond the longest window.
type survey struct {
	bursts  *bursts
	windows *windows
	good    func(number int64) bool
	light   set // keys that stand for others, by number; of the others each stands for itself
	seen    set
	keys    []int64 // that have a request, in no order

	findings
	now *found // that of the key in hand
}

// findings are of the keys that stand for themselves, and of those that stand for others.
type findings struct {
	lengths []time.Duration
	rates   []limit.Policy
	strata  [2]found
}

// found is what a survey has counted.
type found struct {
	users, requests int64
	costs           bool // some request does not cost 1
	peaks           []peaks
	filled          []struct{ aligned, firstHit histogram } // windows by their requests, for each length
	least           []histogram                             // for each rate
}

func nothing(lengths, rates int) found {
	return found{peaks: make([]peaks, lengths), filled: make([]struct{ aligned, firstHit histogram }, lengths),
		least: make([]histogram, rates)}
}

// newSurvey begins curves for windows of some lengths and buckets of some rates. startUS is the clock at time 0.
func newSurvey(startUS int64, lengths []time.Duration, rates []limit.Policy, good func(int64) bool) *survey {
	s := &survey{bursts: newBursts(rates), windows: newWindows(startUS, lengths), good: good,
		findings: findings{lengths: lengths, rates: rates}}
	s.take()
	return s
}

// take is what was found since the last time, after rest.
func (s *survey) take() *findings {
	taken := s.findings
	for i := range s.strata {
		s.strata[i] = nothing(len(s.lengths), len(s.rates))
	}
	return &taken
}

// stratum is what was found of a key's like.
func (s *survey) stratum(number int64) *found {
	if s.light.has(number) {
		return &s.strata[1]
	}
	return &s.strata[0]
}

// add is a request. Times do not decrease until rest is called.
func (s *survey) add(number, atUS, cost int64) {
	if !s.good(number) {
		return
	}
	s.now = s.stratum(number)
	s.now.requests++
	s.now.costs = s.now.costs || cost != 1
	if !s.seen.has(number) {
		s.seen.add(number)
		s.keys = append(s.keys, number)
	}
	s.bursts.add(number, atUS, cost)
	s.windows.add(number, atUS, cost, s.over)
}

// over counts a window by its requests.
func (s *survey) over(length int, firstHit bool, count int64) {
	if firstHit {
		s.now.filled[length].firstHit.add(count, 1)
	} else {
		s.now.filled[length].aligned.add(count, 1)
	}
}

// rest ends a stretch of traffic: what follows meets limiters that remember nothing.
func (s *survey) rest() {
	for _, number := range s.keys {
		s.now = s.stratum(number)
		s.now.users++
		s.bursts.collect(number, s.now.least)
		s.windows.collect(number, s.now.peaks, s.over)
	}
	s.keys = s.keys[:0]
	clear(s.seen)
	s.bursts.clear()
	s.windows.clear()
}

// of is one stratum alone.
func (f *findings) of(stratum int) *findings {
	alone := *f
	alone.strata[1-stratum] = nothing(len(f.lengths), len(f.rates))
	return &alone
}

// curves are those of the keys themselves.
func (f *findings) curves() *Curves { return f.scaled(1, 1) }

// scaled are curves in which each user that stands for others counts as so many, and each of its requests.
func (f *findings) scaled(users, requests float64) *Curves {
	one, other := &f.strata[0], &f.strata[1]
	c := &Curves{UnitCost: !one.costs && !other.costs,
		Users:    one.users + int64(math.Round(float64(other.users)*users)),
		Requests: one.requests + int64(math.Round(float64(other.requests)*requests))}
	blend := func(a, b *histogram, times float64) Distribution {
		return blended(a.distribution(), b.distribution(), times)
	}
	for i, length := range f.lengths {
		p, q := &one.peaks[i], &other.peaks[i]
		w := WindowCurves{Window: length, LogUsers: blend(&p.log, &q.log, users),
			AlignedUsers: blend(&p.aligned, &q.aligned, users), FirstHitUsers: blend(&p.firstHit, &q.firstHit, users)}
		if c.UnitCost {
			g, h := &one.filled[i], &other.filled[i]
			w.AlignedWindows = blend(&g.aligned, &h.aligned, requests)
			w.FirstHitWindows = blend(&g.firstHit, &h.firstHit, requests)
		}
		c.Windows = append(c.Windows, w)
	}
	for i, p := range f.rates {
		c.Rates = append(c.Rates, RateCurve{p, blend(&one.least[i], &other.least[i], users)})
	}
	return c
}
