package tune

import (
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
	seen    set
	keys    []int64 // that have a request, in no order
	found
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
	return &survey{bursts: newBursts(rates), windows: newWindows(startUS, lengths), good: good,
		found: nothing(len(lengths), len(rates))}
}

// add is a request. Times do not decrease until rest is called.
func (s *survey) add(number, atUS, cost int64) {
	if !s.good(number) {
		return
	}
	s.requests++
	s.costs = s.costs || cost != 1
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
		s.filled[length].firstHit.add(count, 1)
	} else {
		s.filled[length].aligned.add(count, 1)
	}
}

// rest ends a stretch of traffic: what follows meets limiters that remember nothing.
func (s *survey) rest() {
	for _, number := range s.keys {
		s.users++
		s.bursts.collect(number, s.least)
		s.windows.collect(number, s.peaks, s.over)
	}
	s.keys = s.keys[:0]
	clear(s.seen)
	s.bursts.clear()
	s.windows.clear()
}

// curves is what was found since the last time, after rest.
func (s *survey) curves(rates []limit.Policy) *Curves {
	c := &Curves{Users: s.users, Requests: s.requests, UnitCost: !s.costs}
	for i, length := range s.windows.lengths {
		w := WindowCurves{Window: length, LogUsers: s.peaks[i].log.distribution(),
			AlignedUsers: s.peaks[i].aligned.distribution(), FirstHitUsers: s.peaks[i].firstHit.distribution()}
		if !s.costs {
			w.AlignedWindows = s.filled[i].aligned.distribution()
			w.FirstHitWindows = s.filled[i].firstHit.distribution()
		}
		c.Windows = append(c.Windows, w)
	}
	for i, p := range rates {
		c.Rates = append(c.Rates, RateCurve{p, s.least[i].distribution()})
	}
	s.found = nothing(len(s.windows.lengths), len(rates))
	return c
}
