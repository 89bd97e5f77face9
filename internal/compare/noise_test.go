package compare

import (
	"math"
	"math/rand/v2"

	"ratelab/internal/benchresult"
)

// noise is how figures vary between measurements of the same code. The spreads are standard deviations of the
// logarithm.
type noise struct {
	server, client float64
	drift          float64 // ln of how much slower the machine is at the end, for all sides alike
	spikes         float64 // share of measurements that something hit, 1.5 to 3 times slower
	hits           float64 // share of those in which only the server's account of its time is off, 1.3 to 2.5 times
	alone          bool    // a slower head is so for its clients only
}

// measured is the noise of 115 rounds of the same code, one piece each: with one measurement in 100 disturbed, the
// server's figure has a spread of 11 % and the client's one of 15 %, apart from the drift.
var measured = noise{server: 0.08, client: 0.13, drift: math.Log(1.2), spikes: 0.01}

// inStretches is the noise of 80 pairs of the same code, measured in turns of 40 ms on two virtual processors: of the
// ratios nine in ten lie within 2 %, and some are off by 1.3x to 2.5x.
var inStretches = noise{server: 0.01, client: 0.012, hits: 0.04}

// simulation makes runs.
type simulation struct {
	noise
	*rand.Rand
}

func simulate(n noise, seed uint64) *simulation {
	return &simulation{n, rand.New(rand.NewPCG(seed, 20))}
}

// sample is one measurement at time at (0 to 1) of code that takes serverUS and clientUS in quiet.
func (s *simulation) sample(serverUS, clientUS, at float64) benchresult.Sample {
	weather := math.Exp(s.drift * at)
	if s.Float64() < s.spikes {
		weather *= 1.5 + 1.5*s.Float64()
	}
	own := 1.0
	if s.Float64() < s.hits {
		own = 1.3 + 1.2*s.Float64()
	}
	server := serverUS * own * weather * math.Exp(s.server*s.NormFloat64())
	client := math.Round(clientUS * weather * math.Exp(s.client*s.NormFloat64())) // histograms know whole µs
	return benchresult.Sample{Calls: 1000, ServerUSPerCall: &server, ServiceP50US: client,
		ServiceP99US: client * math.Exp(1+s.NormFloat64())}
}

// mostPairs is how many pairs the simulations measure, unless they are told something else, or stop before.
const mostPairs = 64

// pair is one of so many, of a head that is so much slower.
func (s *simulation) pair(i, of int, slowdown float64) benchresult.Pair {
	at := func(step float64) float64 { return (float64(i) + step/3) / float64(of) }
	p := benchresult.Pair{HeadFirst: i%2 == 1}
	first, second := 1.0, slowdown
	if p.HeadFirst {
		first, second = slowdown, 1.0
	}
	server := func(slowdown float64) float64 {
		if s.alone {
			return 10
		}
		return 10 * slowdown
	}
	p.Base, p.Head = s.sample(server(first), 130*first, at(0)), s.sample(server(second), 130*second, at(1))
	if p.HeadFirst {
		p.Base, p.Head = p.Head, p.Base
	}
	p.Controls = []benchresult.Sample{s.sample(4, 100, at(2))}
	return p
}

// pairs are n pairs in ABBA order.
func (s *simulation) pairs(n int, slowdown float64) []benchresult.Pair {
	list := make([]benchresult.Pair, n)
	for i := range list {
		list[i] = s.pair(i, n, slowdown)
	}
	return list
}

// until measures pairs until nothing more is wanted of them.
func (s *simulation) until(decided func() bool, slowdown float64, into *[]benchresult.Pair) {
	for look := NextLook(0); len(*into) < mostPairs && !decided(); look = NextLook(look) {
		for len(*into) < min(look, mostPairs) {
			*into = append(*into, s.pair(len(*into), mostPairs, slowdown))
		}
	}
}

// first is a valid run: a row for each slowdown.
func (s *simulation) first(slowdowns ...float64) *benchresult.Paired {
	p := &benchresult.Paired{Rows: make([]benchresult.PairedRow, len(slowdowns))}
	p.Validity.Valid = true
	for i, slowdown := range slowdowns {
		row := &p.Rows[i]
		row.Name = "gcra"
		s.until(func() bool { return Decided(row, len(slowdowns)) }, slowdown, &row.Pairs)
	}
	return p
}

// paired is first with a second run where the first asks for one.
func (s *simulation) paired(slowdowns ...float64) *benchresult.Paired {
	p := s.first(slowdowns...)
	for i, slowdown := range slowdowns {
		if row := &p.Rows[i]; NeedsConfirmation(row, len(slowdowns)) {
			s.until(func() bool { return Confirmed(row, len(slowdowns)) }, slowdown, &row.Confirm)
		}
	}
	return p
}

// share runs a simulation so often and tells how often each outcome came out of what look returns.
func share(runs int, n noise, look func(*simulation) Outcome) map[Outcome]float64 {
	count := map[Outcome]float64{}
	for seed := range runs {
		count[look(simulate(n, uint64(seed)))]++
	}
	for outcome := range count {
		count[outcome] /= float64(runs)
	}
	return count
}

// gateNamed is one gate of a report.
func gateNamed(r *Report, name string) *Gate {
	for i := range r.Gates {
		if r.Gates[i].Name == name {
			return &r.Gates[i]
		}
	}
	return nil
}
