package measure

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// The figures of several limits are those of their definitions, computed slowly.
func TestFiguresOfSeveralLimits(t *testing.T) {
	limits := []limit.Limit{
		{Name: "rpm", Policy: limit.Policy{Requests: 3, Window: time.Second}, CountsRequests: true},
		{Name: "tpm", Policy: limit.Policy{Requests: 9, Window: 2 * time.Second}},
		{Name: "org", Policy: limit.Policy{Requests: 12, Window: 3 * time.Second}, Part: 2},
	}
	type event struct {
		views []View
		cost  int64
		row   limit.Decision
		exact bool
	}
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		row, exact := NewLimitMeters(limits, 0, false), NewLimitMeters(limits, 0, false)
		var keys []*KeySet
		for range limits {
			keys = append(keys, NewKeySet())
		}
		var all []event
		var counts [3]LimitFigures
		var inVain [3]int64
		several := int64(0)
		for i, at := 0, int64(0); i < 300; i++ {
			at += random.Int64N(400_000)
			q := limit.Request{AtUS: at, Key: fmt.Sprintf("k%d|g%d", random.IntN(4), random.IntN(2)),
				Cost: 1 + random.Int64N(5)}
			e := event{cost: q.Cost}
			for j, l := range limits {
				view, err := l.View(q)
				if err != nil {
					t.Fatal(err)
				}
				e.views = append(e.views, View{view, keys[j].Add(view.Key)})
			}
			fits := true
			for j, v := range e.views {
				sum := v.Cost
				for _, o := range all {
					if o.exact && o.views[j].Key == v.Key && o.views[j].AtUS > at-limits[j].WindowUS() {
						sum += o.views[j].Cost
					}
				}
				fits = fits && sum <= limits[j].Requests
			}
			d := exact.Exact(e.views)
			if e.exact = d.Allowed(); e.exact != fits {
				t.Fatalf("seed %d, request %d: the exact limiter decides %v, by definition %v", seed, i, e.exact, fits)
			}
			exact.Observe(e.views, e.cost, d)
			e.row = limit.Admitting() // a row that decides at random
			for j := range limits {
				e.row.Join(j, limit.Decision{Verdict: limit.Verdict(random.IntN(2))})
			}
			row.Observe(e.views, e.cost, e.row)
			refused := 0
			for j := range limits {
				if e.row.Refused.Has(j) {
					refused++
					counts[j].Refused++
				}
			}
			for j := range limits {
				if refused == 1 && e.row.Refused.Has(j) {
					counts[j].RefusedAlone++
				}
				if !e.row.Allowed() && e.row.Charged.Has(j) {
					inVain[j] += e.views[j].Cost
				}
			}
			if refused > 1 {
				several++
			}
			all = append(all, e)
		}
		tally := &Tally{}
		if err := row.Complete(tally, exact, 0, 0, []int64{8, 8, 2}); err != nil {
			t.Fatal(err)
		}
		var r Result
		tally.byLimits(&r)
		var worst float64
		for j, l := range limits {
			want := &counts[j]
			want.Name, want.InVain = l.Name, &inVain[j]
			for _, e := range all {
				sum := int64(0)
				for _, o := range all {
					if o.row.Allowed() && o.views[j].Key == e.views[j].Key && o.views[j].AtUS <= e.views[j].AtUS &&
						o.views[j].AtUS > e.views[j].AtUS-l.WindowUS() {
						sum += o.views[j].Cost
					}
				}
				want.Peak = max(want.Peak, sum)
			}
			want.XLimit = float64(want.Peak) / float64(l.Requests)
			worst = max(worst, want.XLimit)
			got := tally.Several().Limits[j]
			if got.Name != want.Name || got.Refused != want.Refused || got.RefusedAlone != want.RefusedAlone ||
				got.Peak != want.Peak || got.XLimit != want.XLimit || *got.InVain != *want.InVain {
				t.Errorf("seed %d: %+v in vain %d, want %+v in vain %d", seed, got, *got.InVain, want, *want.InVain)
			}
		}
		// The organisation is the coarsest part of the keys, and one limit counts costs.
		lost, total := int64(0), int64(0)
		for _, org := range []string{"g0", "g1"} {
			var admitted, exactly int64
			for _, e := range all {
				if e.views[2].Key == org && e.row.Allowed() {
					admitted += e.cost
				}
				if e.views[2].Key == org && e.exact {
					exactly += e.cost
				}
			}
			lost, total = lost+max(0, exactly-admitted), total+exactly
		}
		if r.XLimit != worst || r.Lost != float64(lost)/float64(total) || tally.SeveralRefused != several {
			t.Errorf("seed %d: x_limit %v, lost %v, several %d; want %v, %v, %d", seed, r.XLimit, r.Lost,
				tally.SeveralRefused, worst, float64(lost)/float64(total), several)
		}
	}
}
