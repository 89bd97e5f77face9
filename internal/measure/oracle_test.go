package measure

import (
	"crypto/sha256"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// observation is a request with what two deciders said to it.
type observation struct {
	limit.Request
	verdict limit.Verdict
	exact   bool
}

func (o observation) admitted() bool { return o.verdict == limit.Allowed }

// drawRun makes a short run with many ties, gaps around the window's length and few keys.
func drawRun(t *rapid.T) (limit.Policy, time.Duration, []observation) {
	windowUS := rapid.Int64Range(1000, 4000).Draw(t, "window_us")
	p := limit.Policy{Requests: rapid.Int64Range(1, 8).Draw(t, "limit"),
		Window: time.Duration(windowUS) * time.Microsecond}
	gap := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 900),
		rapid.SampledFrom([]int64{windowUS - 1, windowUS, windowUS + 1, 3 * windowUS, 300_000}))
	run := make([]observation, rapid.IntRange(0, 60).Draw(t, "requests"))
	var at int64
	for i := range run {
		at += gap.Draw(t, "gap")
		run[i] = observation{
			Request: limit.Request{AtUS: at, Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
				Cost: rapid.Int64Range(1, 5).Draw(t, "cost")},
			verdict: rapid.SampledFrom([]limit.Verdict{limit.NotConfigured, limit.Rejected, limit.Allowed,
				limit.Allowed}).Draw(t, "verdict"),
			exact: rapid.Bool().Draw(t, "exact"),
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
func oracle(p limit.Policy, duration time.Duration, keys int64, run []observation) Result {
	var r Result
	lines := ""
	for _, o := range run {
		r.Offered++
		r.OfferedCost += o.Cost
		bit := 0
		if o.admitted() {
			bit = 1
			r.Admitted++
			r.AdmittedCost += o.Cost
			r.PeakWindowAdmitted = max(r.PeakWindowAdmitted, sumIn(run, o.Key, o.AtUS, p.WindowUS()))
		}
		if o.admitted() && !o.exact {
			r.FalseAdmits++
		}
		if !o.admitted() && o.exact {
			r.FalseRejects++
		}
		lines += fmt.Sprintf("%d,%s,%d,%d\n", o.AtUS, o.Key, o.Cost, bit)
	}
	r.Rejected = r.Offered - r.Admitted
	r.Overshoot = float64(r.PeakWindowAdmitted) / float64(p.Requests)
	if duration > 0 && keys > 0 {
		perKey := float64(p.Requests) * (float64(duration.Microseconds()) / float64(p.WindowUS()))
		r.Utilization = float64(r.AdmittedCost) / (perKey * float64(keys))
	}
	r.DecisionsSHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(lines)))
	return r
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
