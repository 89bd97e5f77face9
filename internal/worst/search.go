package worst

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"ratelab/internal/limit"
	"ratelab/internal/waiting"
)

// search is one search on its way.
type search struct {
	Problem
	bound  int64
	random *rand.Rand

	budget  int64 // decisions up to which the present stage may go
	spent   int64
	stopped bool
	units   bool // one request at a time; otherwise those of one instant are asked for in blocks
	cut     bool // a plan would have made more requests than an attack may

	best    played // the worst so far
	shown   plan   // that it did
	leaders []scored
	learned lessons
}

// scored is a plan and what it came to.
type scored struct {
	plan plan
	peak int64
}

// keptLeaders is from how many of the best plans the search climbs.
const keptLeaders = 6

// checkEvery is how many decisions pass between two looks at whether to stop.
const checkEvery = 64

func newSearch(p Problem) *search {
	sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, p.Seed), p.Instance.Label...))
	return &search{
		Problem: p,
		bound:   p.Instance.MostAdmitted(p.WithinUS, p.LargestCost),
		random:  rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))),
	}
}

// ask lets the model decide one request, or a block of them, unless the budget is spent or somebody wants an end.
func (s *search) ask(l limit.Limiter, atUS, cost int64) (d limit.Decision, ok bool) {
	if s.over() {
		return limit.Decision{}, false
	}
	s.spent++
	if s.spent%checkEvery == 0 {
		s.report()
		s.stopped = s.stopped || waiting.Closed(s.Stop)
	}
	return l.Decide(atUS, keyName, cost), true
}

func (s *search) report() {
	if s.Progress != nil {
		s.Progress(s.spent)
	}
}

// mostRequests is how many an attack may make: somebody has to decide them one by one when it is confirmed.
func (p Problem) mostRequests() int64 { return 2 * p.Budget }

// over reports whether nothing more may be asked.
func (s *search) over() bool { return s.stopped || s.spent >= s.budget }

// done reports whether nothing more is worth asking: the bound is reached, or broken.
func (s *search) done() bool { return s.over() || s.best.peak >= s.bound }

// try plays a plan, and keeps what it did if that is the worst so far. What the rest of a budget cuts short counts too:
// its beginning is traffic like any other.
func (s *search) try(p plan) int64 {
	result := s.play(p)
	if result.peak > s.best.peak {
		s.best, s.shown = result, p.clone()
	}
	s.lead(p, result.peak)
	return result.peak
}

// lead keeps p among the leaders if it is as good as the last of them and unlike its equals.
func (s *search) lead(p plan, peak int64) {
	at := len(s.leaders)
	for at > 0 && s.leaders[at-1].peak < peak {
		at--
	}
	if at == keptLeaders {
		return
	}
	s.leaders = append(s.leaders, scored{})
	copy(s.leaders[at+1:], s.leaders[at:])
	s.leaders[at] = scored{p.clone(), peak}
	s.leaders = s.leaders[:min(len(s.leaders), keptLeaders)]
}
