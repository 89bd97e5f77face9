package tune

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// No text meets another or leaves the page, wherever the settings stand.
func TestTextsKeepApart(t *testing.T) {
	names := Default()
	rapid.Check(t, func(rt *rapid.T) {
		d := &Document{Wishes: Wishes{Of: Users}, Traffic: Fitting{Name: "access.log.gz", Fitted: "the first 41h"}}
		if rapid.Bool().Draw(rt, "refuse") {
			most := rapid.Float64Range(0, 1).Draw(rt, "most")
			d.Wishes.RefuseAtMost = &most
		}
		if d.Wishes.RefuseAtMost == nil || rapid.Bool().Draw(rt, "protect") {
			most := rapid.Int64Range(1, 2000).Draw(rt, "protected")
			d.Wishes.Protect = &most
		}
		d.Unlimited.Fitted.WorstSecond = rapid.Int64Range(1, 1000).Draw(rt, "unlimited")
		for i := range rapid.IntRange(1, 40).Draw(rt, "rows") {
			r := Row{Algorithm: names[i%len(names)], Present: i%7 == 3, Limit: result.LimitOf(limit.Policy{
				Requests: int64(i) + 1, Window: time.Minute})}
			r.Fitted = Figures{Users: 100, UsersRefused: rapid.Int64Range(0, 100).Draw(rt, "refused"),
				WorstSecond: rapid.Int64Range(1, d.Unlimited.Fitted.WorstSecond).Draw(rt, "worst")}
			d.Rows = append(d.Rows, r)
		}
		d.judge()
		for _, fault := range d.picture().Faults() {
			rt.Fatal(fault)
		}
	})
}
