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

// What is a tie: so much of a difference changes nobody's decision.
const (
	tieOfLoss  = 0.01
	tieOfBytes = 0.2
	tieOfWork  = 0.1

	tooMuch        = 0.25 // who loses so much more than the least is left out
	tooMuchUsually = 0.3  // and so much more on the standard set: half of the limit is no limit of 100
	worthSaying    = 0.05 // more than that on the standard set has a line, and is no tie
	mostRows       = 5
)

// rounding is what sums of fractions may be off.
const rounding = 1e-9

// priced is a candidate's row, and what tells candidates that decide alike.
type priced struct {
	result.Price
	decided string
}

// choose is the rule: of all candidates those to show, the pick first, and those that decide as one of these.
func choose(all []priced) (rows, alike []priced) {
	if len(all) == 0 {
		return nil, nil
	}
	least, leastUsually := math.Inf(1), math.Inf(1)
	for _, r := range all {
		least, leastUsually = min(least, r.Lost), min(leastUsually, r.LostUsually)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(r priced) bool {
		return r.Lost > least+tooMuch+rounding || r.LostUsually > leastUsually+tooMuchUsually
	})
	band := func(r priced) float64 { return math.Floor((r.Lost-least)/tieOfLoss + rounding) }
	slices.SortStableFunc(all, func(a, b priced) int {
		return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(a.BytesPerKey, b.BytesPerKey),
			cmp.Compare(a.Instructions, b.Instructions), strings.Compare(a.Limiter, b.Limiter))
	})
	for _, r := range all {
		i := slices.IndexFunc(rows, func(before priced) bool { return !better(&r.Price, &before.Price) })
		switch {
		case i < 0 && len(rows) < mostRows:
			rows = append(rows, r)
		case i >= 0 && r.decided != "" && r.decided == rows[i].decided:
			alike = append(alike, r)
		}
	}
	return rows, alike
}

// better reports whether a is better than b by more than a tie in anything, such as on the traffic to come.
func better(a, b *result.Price) bool {
	return a.Lost < b.Lost-tieOfLoss-rounding || a.LostUsually < b.LostUsually-worthSaying ||
		a.BytesPerKey < b.BytesPerKey*(1-tieOfBytes) || a.Instructions < b.Instructions*(1-tieOfWork)
}

// price is a candidate's row.
func (c *candidate) price(f *field) priced {
	r := priced{Price: result.Price{Limiter: c.limiter.Label, Guarantee: c.guarantee(f.policy, f.largestCost),
		BytesPerKey: math.Round(c.figures[3].At(c.x))}} // of a full key
	var decisions int64
	r.WorstLost = -1
	for i, p := range c.prices {
		r.Lost += p.lost / float64(len(c.prices))
		r.Instructions, decisions = r.Instructions+p.instructions, decisions+p.decisions
		if p.lost > r.WorstLost {
			r.WorstLost, r.WorstTraffic = p.lost, f.names[i]
		}
		r.UsersRejected, r.UsersNeedlessly = r.UsersRejected+p.rejected, r.UsersNeedlessly+p.needlessly
		r.decided += p.decided + " "
	}
	r.Instructions = math.Round(r.Instructions / float64(max(1, decisions)))
	return r
}

// answer applies the rule to what was played.
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
	rows, alike := choose(all)
	if len(rows) == 0 {
		return nil, ErrNobody
	}
	cheapest := slices.MinFunc(rows, func(x, y priced) int { return cmp.Compare(x.Instructions, y.Instructions) })
	for _, r := range rows {
		r.Work = r.Instructions / cheapest.Instructions
		a.Rows = append(a.Rows, r.Price)
	}
	for _, r := range alike {
		a.Alike = append(a.Alike, r.Price)
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
			c.deploy(a)
		}
	}
	return a, nil
}

// deploy says how the pick is called.
func (c *candidate) deploy(a *result.Answer) {
	a.Script = "lua/" + c.limiter.Algorithm.Name + ".lua"
	a.Arguments = append([]string{"", "1"}, c.limiter.Args...)
	if c.limiter.Algorithm.Traits.RedisRate {
		p := c.limiter.Policy
		a.RedisRate = fmt.Sprintf("Limit{Rate: %d, Period: %s, Burst: %d}", p.Requests,
			period(p.Window), c.limiter.InRole(algorithms.Capacity))
	}
}

// period is a duration as Go writes it.
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
