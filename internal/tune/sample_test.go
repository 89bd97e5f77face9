package tune

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/traffic"
)

// total is what one key asks for and is refused in all.
type total struct {
	key                                  string
	requests, refused, cost, refusedCost int64
}

// totalsOf has a model decide, key by key.
func totalsOf(t testing.TB, s Setting, all iter.Seq[limit.Request]) []total {
	t.Helper()
	in, err := s.Instance()
	if err != nil {
		t.Fatal(err)
	}
	model, at, totals := in.NewModel(), map[string]int{}, []total{}
	for q := range all {
		i, known := at[q.Key]
		if !known {
			i = len(totals)
			at[q.Key], totals = i, append(totals, total{key: q.Key})
		}
		k := &totals[i]
		k.requests++
		k.cost += q.Cost
		if !model.Decide(startUS+q.AtUS, q.Key, q.Cost).Allowed() {
			k.refused++
			k.refusedCost += q.Cost
		}
	}
	return totals
}

// drawFrom is the figures that a sample of such keys says, with everybody good and all in one part; p is the share
// that the sample is planned for. It is nil where the sample has no key of the rest.
func drawFrom(t testing.TB, totals []total, s Sample, p float64) *Figures {
	t.Helper()
	c := &census{traffic: &Traffic{Sample: &s}}
	for i, k := range totals {
		c.counts = append(c.counts, uint32(k.requests))
		c.requests += k.requests
		c.good.add(int64(i))
		if s.draws(k.key) {
			c.drawn.add(int64(i))
		}
	}
	if err := c.stratify(p); err != nil {
		return nil
	}
	var played Figures
	of := make([]refusals, c.players())
	for i, k := range totals {
		place := int64(c.strata.places[i])
		pop := &c.tally.parts[fitted].heavy
		if place < 0 || c.strata.light.has(place) {
			pop = &c.tally.parts[fitted].light
		}
		pop.keys, pop.good, pop.users = pop.keys+1, pop.good+1, pop.users+1
		pop.requests, pop.cost = pop.requests+k.requests, pop.cost+k.cost
		if place < 0 {
			continue
		}
		c.tally.shares[fitted][place] = portion{1, int32(k.requests), k.cost}
		users := min(k.refused, 1)
		of[place] = refusals{int32(users), int32(k.refused), k.refusedCost}
		played.UsersRefused += users
		played.RequestsRefused += k.refused
		played.OfferedCost, played.AdmittedCost = played.OfferedCost+k.cost, played.AdmittedCost+k.cost-k.refusedCost
	}
	if err := c.tally.end(c.isGood); err != nil {
		return nil
	}
	f := c.tally.estimated(fitted, played, of, c.isGood)
	return &f
}

// truth is the shares of users and of requests that are refused, and of cost.
func truth(totals []total) (shares [3]float64) {
	var users, requests, cost, n, all int64
	for _, k := range totals {
		users += min(k.refused, 1)
		requests, n = requests+k.refused, n+k.requests
		cost, all = cost+k.refusedCost, all+k.cost
	}
	return [3]float64{share(users, int64(len(totals))), share(requests, n), share(cost, all)}
}

// holdCoverage draws with a thousand salts. Of the intervals between 92 and 98 % must have the truth in them, the
// estimates must lie around it, and the errors that are said must be as large as those that are made.
func holdCoverage(t *testing.T, totals []total, s Sample, p float64) {
	t.Helper()
	const salts = 1000
	want := truth(totals)
	var within, said [3]int
	var sum, squares, variances [3]float64
	for salt := range uint64(salts) {
		s.Salt = salt
		f := drawFrom(t, totals, s, p)
		if f == nil {
			t.Fatalf("salt %d draws nobody", salt)
		}
		for i, e := range []Estimate{f.Sampled.Users, f.Sampled.Requests, f.Sampled.Cost} {
			off := e.Share - want[i]
			sum[i] += off
			squares[i] += off * off
			if e.PlusMinus == nil {
				continue
			}
			said[i]++
			variances[i] += *e.PlusMinus * *e.PlusMinus / 4
			if math.Abs(off) <= *e.PlusMinus {
				within[i]++
			}
		}
	}
	for i, of := range []string{"users", "requests", "cost"} {
		covered := float64(within[i]) / float64(said[i])
		bias, made := sum[i]/salts, math.Sqrt(squares[i]/salts)
		ratio := math.Sqrt(variances[i]/float64(said[i])) / made
		t.Logf("share of %s refused %.4f: %d intervals cover it in %.1f %%; bias %.1e, error %.1e, said / made %.3f",
			of, want[i], said[i], 100*covered, bias, made, ratio)
		if said[i] < salts*98/100 { // where few have one it is the lucky ones, and they are off
			t.Errorf("%s: %d of %d samples have an interval", of, said[i], salts)
		}
		if covered < 0.92 || covered > 0.98 {
			t.Errorf("%s: %.1f %% of the intervals have the truth in them, want 92 to 98", of, 100*covered)
		}
		if math.Abs(bias) > 4*made/math.Sqrt(salts) {
			t.Errorf("%s: off by %.2e on average, with an error of %.2e", of, bias, made)
		}
		if ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s: errors are said %.3f times as large as they are", of, ratio)
		}
	}
}

// generated is a day of requests, each key's at random, with costs of 1 to 5; every key has some.
func generated(requests, keys int64, exponent float64, seed uint64) iter.Seq[limit.Request] {
	return func(yield func(limit.Request) bool) {
		random := rand.New(rand.NewPCG(seed, 1))
		next := traffic.Zipf{Count: keys, Exponent: exponent}.Ranks(random)
		for i := range requests {
			rank := i / 2
			if i%2 == 1 || rank >= keys {
				rank = next()
			}
			at, cost := i*86_400_000_000/requests, 1+random.Int64N(3)
			if !yield(limit.Request{AtUS: at, Key: fmt.Sprint("k", rank), Cost: cost}) {
				return
			}
		}
	}
}

// hourly is a bucket that lasts for so many requests at once.
func hourly(burst int64) Setting {
	return Setting{Algorithm: "gcra", Policy: limit.Policy{Requests: 1, Window: time.Hour, Burst: burst}}
}

// Intervals have the truth in them as often as they say, of logs of few and of many heavy keys.
func TestCoverageOfGeneratedLogs(t *testing.T) {
	for exponent, burst := range map[float64]int64{0.8: 6, 1.2: 3} {
		if exponent > 1 && !longtest.All() {
			continue
		}
		t.Run(fmt.Sprint("zipf ", exponent), func(t *testing.T) {
			totals := totalsOf(t, hourly(burst), generated(75_000, 10_000, exponent, 5))
			holdCoverage(t, totals, Sample{Share: 0.2, Within: 0.02}, 0.05)
		})
	}
}

// So they have at one percent of the keys, of larger logs.
//
// Note: of 2000000 requests of 200000 keys with the exponent 1.2, a burst of 3 and a bound of 200 requests, which an
// interval of 10 points allows, 92 % of the intervals cover the share of requests: of the 2000 keys that are drawn a
// dozen make the error then.
func TestCoverageAtOnePercent(t *testing.T) {
	longtest.Skip(t, "thousands of samples of 100000 keys")
	for _, c := range []struct {
		exponent, within float64
		burst            int64
	}{{0.8, 0.05, 5}, {1.2, 0.01, 2}, {1.2, 0.02, 2}} {
		t.Run(fmt.Sprint("zipf ", c.exponent, " within ", c.within), func(t *testing.T) {
			totals := totalsOf(t, hourly(c.burst), generated(1_000_000, 100_000, c.exponent, 6))
			holdCoverage(t, totals, Sample{Share: 0.01, Within: c.within}, 0.05)
		})
	}
}

// logVariable names a log, plain or gzip, on which coverage is tested as well.
const logVariable = "RATELAB_LOG"

// So they have of a log of somebody's. What is sampled of it follows from an Apache log of 10000 lines, 1753 clients.
func TestCoverageOfARealLog(t *testing.T) {
	path := os.Getenv(logVariable)
	if path == "" {
		t.Skipf("no log of somebody's is part of this project; %s=FILE names one in the combined format", logVariable)
	}
	log := traffic.Compile(1, []traffic.Phase{{Name: "trace", Trace: &traffic.Trace{File: path}}})
	for _, c := range []struct {
		burst         int64
		share, within float64
	}{{2, 0.25, 0.05}, {2, 0.25, 0.2}, {2, 0.5, 0.05}, {2, 0.5, 0.2}, {5, 0.5, 0.05}, {5, 0.5, 0.2}} {
		t.Run(fmt.Sprintf("burst %d, sample %v within %v", c.burst, c.share, c.within), func(t *testing.T) {
			totals := totalsOf(t, hourly(c.burst), func(yield func(limit.Request) bool) {
				for q, err := range log.Requests() {
					if err != nil {
						t.Fatal(err)
					}
					if !yield(q) {
						return
					}
				}
			})
			holdCoverage(t, totals, Sample{Share: c.share, Within: c.within}, 0.05)
		})
	}
}
