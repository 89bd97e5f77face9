package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/result"
)

// The largest differences that count as ties.
const (
	tieOfLoss  = 0.01
	tieOfBytes = 0.2
	tieOfWork  = 0.1
)

// The limits for the recommended limiter (the pick) and for the other rows.
const (
	pickLoss     = 0.02 // the most that the pick may lose more than the least
	pickStandard = 0.1  // the same on the standard set
	pickCosts    = 1.1  // the most that the pick's bytes times work may exceed the smallest, as a factor

	rowLoss     = 0.25 // the most that a row may lose more than the least
	worthSaying = 0.05 // a larger loss on the standard set is shown
	mostRows    = 5

	nearlyPicked = 0.01 // a limiter that misses the pick's limits by less than this is mentioned
	muchCheaper  = 3.   // if it costs this many times less
)

// rounding is the largest error of sums of fractions.
const rounding = 1e-9

// priced is a candidate's row, with a digest of its decisions by which equal candidates are found.
type priced struct {
	result.Price
	pickable bool
	decided  string
}

// product returns the costs of a limiter: bytes times work.
func (r *priced) product() float64 { return r.BytesPerKey * r.Instructions }

// choice is the result of the rule: the rows, the pick first; the candidates that decide as one of the rows; and a
// candidate that is nearly picked and costs much less, or nil.
type choice struct {
	rows, alike []priced
	nearly      *priced
}

// choose applies the rule. If ofOne is true, the limit is one request per window: all candidates decide nearly alike,
// and the cheapest is picked.
func choose(all []priced, ofOne bool) (found choice) {
	if len(all) == 0 {
		return choice{}
	}
	least, leastStandard := math.Inf(1), math.Inf(1)
	for _, r := range all {
		least, leastStandard = min(least, r.Lost), min(leastStandard, r.LostUsually)
	}
	above := func(r *priced) float64 { // how far r exceeds the limits of the pick; at most 0 within them
		return max(r.Lost-least-pickLoss, r.LostUsually-leastStandard-pickStandard) - rounding
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(r priced) bool { return !r.pickable || above(&r) > 0 })
	if ofOne || len(fit) == 0 { // or if all candidates have a smaller limit
		fit = slices.Clone(all)
	}
	smallest := math.Inf(1)
	for _, r := range fit {
		smallest = min(smallest, r.product())
	}
	cheap := slices.DeleteFunc(fit, func(r priced) bool { return r.product() > smallest*pickCosts })
	pick := slices.MinFunc(cheap, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.Lost, b.Lost), cmp.Compare(a.product(), b.product()),
			strings.Compare(a.Limiter, b.Limiter))
	})
	found.rows = []priced{pick}
	others := slices.DeleteFunc(slices.Clone(all), func(r priced) bool { return r.Limiter == pick.Limiter })
	slices.SortStableFunc(others, func(a, b priced) int {
		return cmp.Or(cmp.Compare(a.Lost, b.Lost), strings.Compare(a.Limiter, b.Limiter))
	})
	for i := range others {
		r := &others[i]
		if r.pickable && above(r) > 0 && above(r) < nearlyPicked && r.product()*muchCheaper <= pick.product() {
			found.nearly = r
		}
		at := slices.IndexFunc(found.rows, func(kept priced) bool { return !better(&r.Price, &kept.Price) })
		switch {
		case at >= 0 && r.decided != "" && r.decided == found.rows[at].decided:
			found.alike = append(found.alike, *r)
		case at < 0 && r.Lost <= least+rowLoss+rounding && len(found.rows) < mostRows:
			found.rows = append(found.rows, *r)
		}
	}
	return found
}

// better reports whether a is better than b by more than a tie in any respect.
func better(a, b *result.Price) bool {
	return a.Lost < b.Lost-tieOfLoss-rounding || a.BytesPerKey < b.BytesPerKey*(1-tieOfBytes) ||
		a.Instructions < b.Instructions*(1-tieOfWork)
}

// price returns a candidate's row.
func (c *candidate) price(f *field) priced {
	r := priced{Price: result.Price{Limiter: c.limiter.Label, Guarantee: c.guarantee(f.policy, f.largestCost),
		BytesFull: math.Round(c.figures[3].At(c.full))}, pickable: c.pickable}
	var decisions int64
	most := 0.0
	r.WorstLost = -1
	for i, p := range c.prices {
		r.Lost += p.lost / float64(len(c.prices))
		r.Instructions, decisions = r.Instructions+p.instructions, decisions+p.decisions
		if p.lost > r.WorstLost {
			r.WorstLost, r.WorstTraffic = p.lost, f.names[i]
		}
		r.UsersRejected, r.UsersNeedlessly = r.UsersRejected+p.rejected, r.UsersNeedlessly+p.needlessly
		r.decided += p.decided + " "
		most = max(most, p.most)
	}
	if c.parts == 0 { // a log has more entries under the limit in question
		most *= float64(f.policy.Requests) / float64(f.playedUnder.Requests)
	}
	r.BytesPerKey = math.Round(c.figures[3].At(most))
	r.Instructions = math.Round(r.Instructions / float64(max(1, decisions)))
	return r
}

// answer applies the rule to the results.
func (f *field) answer() (*result.Answer, error) {
	var all []priced
	for _, c := range f.candidates {
		r := c.price(f)
		if r.LostUsually = r.Lost; f.usually != nil {
			r.LostUsually = f.usually[r.Limiter]
		}
		all = append(all, r)
	}
	a := &result.Answer{Limit: result.LimitOf(f.policy)}
	found := choose(all, f.policy.Requests == 1)
	if len(found.rows) == 0 {
		return nil, ErrNobody
	}
	cheapest := slices.MinFunc(found.rows, func(x, y priced) int {
		return cmp.Compare(x.Instructions, y.Instructions)
	})
	for _, r := range found.rows {
		r.Work = r.Instructions / cheapest.Instructions
		a.Rows = append(a.Rows, r.Price)
	}
	for _, r := range found.alike {
		a.Alike = append(a.Alike, r.Price)
	}
	if r := found.nearly; r != nil {
		a.Nearly = &r.Price
		a.NearlyTimes = found.rows[0].product() / r.product()
	}
	for _, u := range f.usual {
		x := result.Usual{Limiter: u.label, Peak: float64(u.peak) / float64(f.playedUnder.Requests)}
		if u.admitted > 0 {
			x.Beyond = float64(u.beyond) / float64(u.admitted)
		}
		a.Usual = append(a.Usual, x)
	}
	for _, c := range f.candidates {
		if c.limiter.Label == a.Rows[0].Limiter {
			c.deploy(a, f.largestCost)
		}
	}
	return a, nil
}

// deploy sets how the pick is called. The cost is an argument only if the traffic has costs.
func (c *candidate) deploy(a *result.Answer, largestCost int64) {
	a.Script = "lua/" + c.limiter.Algorithm.Name + ".lua"
	cost := "1"
	if largestCost > 1 {
		cost = "COST"
	}
	a.Arguments = append([]string{"", cost}, c.limiter.Args...)
	if c.limiter.Algorithm.Traits.RedisRate {
		p := c.limiter.Policy
		a.RedisRate = fmt.Sprintf("Limit{Rate: %d, Period: %s, Burst: %d}", p.Requests,
			period(p.Window), c.limiter.InRole(algorithms.Capacity))
	}
}

// period formats a duration as Go source code.
func period(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "time.Hour"}, {time.Minute, "time.Minute"}, {time.Second, "time.Second"}} {
		switch {
		case d == unit.of:
			return unit.name
		case d%unit.of == 0:
			return fmt.Sprintf("%d * %s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Microsecond", d.Microseconds())
}
