package measure

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// observation is a request with what was said to it.
type observation struct {
	limit.Request
	verdict limit.Verdict
	delayUS int64
}

func (o observation) admitted() bool { return o.verdict == limit.Allowed }

// drawRun makes a short run with many ties, gaps around the window's length and few keys.
func drawRun(t *rapid.T) (limit.Policy, time.Duration, []observation) {
	windowUS := rapid.Int64Range(1000, 4000).Draw(t, "window_us")
	p := limit.Policy{Requests: rapid.Int64Range(1, 8).Draw(t, "limit"),
		Window:   time.Duration(windowUS) * time.Microsecond,
		Burst:    rapid.Int64Range(0, 12).Draw(t, "burst"),
		Contract: limit.Contract(rapid.IntRange(0, 1).Draw(t, "contract"))}
	gap := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 900),
		rapid.SampledFrom([]int64{windowUS - 1, windowUS, windowUS + 1, 3 * windowUS, 300_000}))
	run := make([]observation, rapid.IntRange(0, 60).Draw(t, "requests"))
	var at int64
	for i := range run {
		at += gap.Draw(t, "gap")
		run[i] = observation{
			Request: limit.Request{AtUS: at, Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
				Cost: rapid.Int64Range(1, 5).Draw(t, "cost")},
			verdict: rapid.SampledFrom([]limit.Verdict{limit.Unavailable, limit.NotConfigured, limit.Rejected,
				limit.Allowed, limit.Allowed}).Draw(t, "verdict"),
		}
	}
	extra := rapid.SampledFrom([]int64{0, 1, windowUS, 700_000}).Draw(t, "silence")
	return p, time.Duration(at+extra) * time.Microsecond, run
}

// sumIn is what was admitted for key in (atUS−W, atUS] by the observations given.
func sumIn(run []observation, key string, atUS, windowUS int64) (sum int64) {
	for _, o := range run {
		if o.admitted() && o.Key == key && o.AtUS > atUS-windowUS && o.AtUS <= atUS {
			sum += o.Cost
		}
	}
	return sum
}

// oracle computes a Result from the definitions, each figure by itself.
func oracle(p limit.Policy, run []observation) Result {
	var r Result
	digest := new(big.Int)
	for _, o := range run {
		r.Offered++
		r.OfferedCost += o.Cost
		bit := 0
		if o.admitted() {
			bit = 1
			r.Admitted++
			r.AdmittedCost += o.Cost
			r.Peak = max(r.Peak, sumIn(run, o.Key, o.AtUS, p.WindowUS()))
		}
		hash := xxh3.Hash128([]byte(fmt.Sprintf("%d,%s,%d,%d\n", o.AtUS, o.Key, o.Cost, bit))).Bytes()
		digest.Add(digest, new(big.Int).SetBytes(hash[:]))
	}
	verdicts := func(v limit.Verdict) (n int64) {
		for _, o := range run {
			if o.verdict == v {
				n++
			}
		}
		return n
	}
	r.Errors, r.Unavailable = verdicts(limit.Unavailable), verdicts(limit.Unavailable)
	r.NotConfigured = verdicts(limit.NotConfigured)
	r.Rejected = r.Offered - r.Admitted - r.Errors
	r.XLimit = xLimitOracle(p, run, r.Peak)
	r.DecisionsDigest = fmt.Sprintf("%032x", digest.Mod(digest, new(big.Int).Lsh(big.NewInt(1), 128)))
	contractOracle(p, run, &r)
	usersOracle(p, run, &r)
	return r
}

// admits decides the requests of one key, in their order, as an exact limiter does: each against everything that it let
// through before.
func admits(p limit.Policy, run []observation) []bool {
	decided := make([]bool, len(run))
	level, last := new(big.Rat).SetInt64(p.Capacity()), int64(0)
	for i, o := range run {
		if p.Contract == limit.ByWindow {
			sum := o.Cost
			for k, earlier := range run[:i] {
				if decided[k] && earlier.AtUS > o.AtUS-p.WindowUS() {
					sum += earlier.Cost
				}
			}
			decided[i] = sum <= p.Requests
			continue
		}
		earned := new(big.Int).Mul(big.NewInt(o.AtUS-last), big.NewInt(p.Requests))
		level.Add(level, new(big.Rat).SetFrac(earned, big.NewInt(p.WindowUS())))
		if full := new(big.Rat).SetInt64(p.Capacity()); level.Cmp(full) > 0 {
			level = full
		}
		last = o.AtUS
		if left := new(big.Rat).Sub(level, new(big.Rat).SetInt64(o.Cost)); left.Sign() >= 0 {
			decided[i], level = true, left
		}
	}
	return decided
}

// contractOracle is what an exact limiter behind and one in the same place say, key by key.
func contractOracle(p limit.Policy, run []observation, r *Result) {
	var missing int64
	for _, key := range []string{"a", "b", "c"} {
		var offered, admitted []observation
		for _, o := range run {
			if o.Key == key {
				offered = append(offered, o)
				if o.admitted() {
					admitted = append(admitted, o)
				}
			}
		}
		var exact, mine int64
		for i, yes := range admits(p, offered) {
			if yes {
				exact += offered[i].Cost
			}
		}
		for i, yes := range admits(p, admitted) {
			mine += admitted[i].Cost
			if !yes {
				r.Excess += admitted[i].Cost
			}
		}
		r.ExactCost, missing = r.ExactCost+exact, missing+max(0, exact-mine)
	}
	if r.ExactCost > 0 {
		r.Lost = float64(missing) / float64(r.ExactCost)
	}
}

// usersOracle counts the keys with a rejected request, and those of them of which an exact limiter rejects none.
func usersOracle(p limit.Policy, run []observation, r *Result) {
	for _, key := range []string{"a", "b", "c"} {
		var mine []observation
		rejected := false
		for _, o := range run {
			if o.Key == key {
				mine = append(mine, o)
				rejected = rejected || o.verdict == limit.Rejected || o.verdict == limit.NotConfigured
			}
		}
		if !rejected {
			continue
		}
		r.UsersRejected++
		if !slices.Contains(admits(p, mine), false) {
			r.UsersRejectedNeedlessly++
		}
	}
}

// xLimitOracle is x_limit by its definition: under a bucket contract every interval that begins and ends with an
// admission is tried. left is in the order of leaving.
func xLimitOracle(p limit.Policy, left []observation, peak int64) float64 {
	if p.Contract == limit.ByWindow {
		return float64(peak) / float64(p.Requests)
	}
	largest := new(big.Rat)
	for i, first := range left {
		cost := int64(0)
		for _, o := range left[i:] {
			if !first.admitted() || !o.admitted() || o.Key != first.Key {
				continue
			}
			cost += o.Cost
			inW := (o.AtUS - first.AtUS) * p.Requests
			allowed := new(big.Rat).SetFrac(big.NewInt(p.Capacity()*p.WindowUS()+inW), big.NewInt(p.WindowUS()))
			if q := new(big.Rat).Quo(new(big.Rat).SetInt64(cost), allowed); q.Cmp(largest) > 0 {
				largest = q
			}
		}
	}
	x, _ := largest.Float64()
	return x
}

// rollingOracle is the highest sum of any key at any microsecond in [fromUS, toUS). Between the instants that it
// tries no sum can rise.
func rollingOracle(p limit.Policy, run []observation, fromUS, toUS int64) (highest int64) {
	try := func(atUS int64) {
		for _, key := range []string{"a", "b", "c"} {
			highest = max(highest, sumIn(run, key, atUS, p.WindowUS()))
		}
	}
	before := make([]observation, 0, len(run))
	for _, o := range run {
		if o.AtUS < fromUS {
			before = append(before, o)
		} else if o.AtUS < toUS {
			try(o.AtUS)
		}
	}
	for _, key := range []string{"a", "b", "c"} {
		highest = max(highest, sumIn(before, key, fromUS, p.WindowUS()))
	}
	return highest
}
