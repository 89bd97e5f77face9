package limits

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// rejectedBy applies the definition of the contract: a request is rejected if an interval that ends with it would have
// more than the contract allows.
func rejectedBy(all []limit.Request, p limit.Policy) []bool {
	rejects := make([]bool, len(all))
	for i, q := range all {
		sum := q.Cost
		for j := i; j >= 0; j-- {
			first := all[j]
			if first.Key != q.Key || rejects[j] && j < i {
				continue
			}
			if j < i {
				sum += first.Cost
			}
			age := q.AtUS - first.AtUS
			over := sum > p.Requests && age < p.WindowUS()
			if p.Contract == limit.ByBucket { // sum > B + age·L/W
				allowed := product(p.Capacity(), p.WindowUS())
				over = product(sum, p.WindowUS()).Cmp(allowed.Add(allowed, product(age, p.Requests))) > 0
			}
			if over {
				rejects[i] = true
				break
			}
		}
	}
	return rejects
}

// The newly rejected and no longer rejected requests are those that the definition gives.
func TestChangeIsWhatItsDefinitionSays(t *testing.T) {
	policy := rapid.Custom(func(t *rapid.T) limit.Policy {
		p := limit.Policy{Requests: rapid.Int64Range(1, 12).Draw(t, "limit"), Window: rapid.SampledFrom(
			[]time.Duration{time.Second, 1500 * time.Millisecond, 7 * time.Second}).Draw(t, "window")}
		if rapid.Bool().Draw(t, "bucket") {
			p.Contract, p.Burst = limit.ByBucket, rapid.Int64Range(1, 12).Draw(t, "burst")
		}
		return p
	})
	rapid.Check(t, func(t *rapid.T) {
		all, log := drawn(t, []string{"a", "b", "c"})
		before, after := policy.Draw(t, "old"), policy.Draw(t, "new")
		old, now := rejectedBy(all, before), rejectedBy(all, after)
		want, byKey := result.Change{}, map[string]*result.Changed{}
		for i, q := range all {
			c := byKey[q.Key]
			if c == nil {
				c = &result.Changed{Key: q.Key}
				byKey[q.Key] = c
			}
			c.Asked += q.Cost
			if old[i] {
				c.RejectedOld += q.Cost
			}
			if now[i] {
				c.RejectedNew += q.Cost
			}
			if now[i] && !old[i] {
				want.NewlyRejected += q.Cost
				if c.LastUS = q.AtUS; c.NewlyRejected == 0 {
					c.FirstUS = q.AtUS
				}
				c.NewlyRejected += q.Cost
			}
			if old[i] && !now[i] {
				want.NoLongerRejected += q.Cost
				c.NoLongerRejected += q.Cost
			}
		}
		changed := 0
		for _, c := range byKey {
			want.Clients += min(c.NewlyRejected, 1)
			if c.RejectedOld == 0 {
				want.ClientsNewly += min(c.RejectedNew, 1)
			}
			if c.RejectedNew == 0 {
				want.ClientsNoLonger += min(c.RejectedOld, 1)
			}
			changed += int(min(c.NewlyRejected+c.NoLongerRejected, 1))
		}
		got := *look(t, []limit.Policy{before, after}, log).Users[0].Change
		who := got.Who
		got.Who = nil
		if got.NewlyRejected != want.NewlyRejected || got.NoLongerRejected != want.NoLongerRejected ||
			got.Clients != want.Clients || got.ClientsNewly != want.ClientsNewly ||
			got.ClientsNoLonger != want.ClientsNoLonger || len(who) != changed {
			t.Fatalf("%v to %v: %+v of %d, want %+v of %d", before, after, got, len(who), want, changed)
		}
		for i, c := range who {
			if c != *byKey[c.Key] {
				t.Fatalf("%v to %v: %+v, want %+v", before, after, c, *byKey[c.Key])
			}
			if i > 0 && c.NewlyRejected > who[i-1].NewlyRejected {
				t.Fatalf("%+v stands after %+v", c, who[i-1])
			}
		}
	})
}

// If there are two readings, the one with more newly rejected requests counts.
func TestTheWorseReadingDecides(t *testing.T) {
	for most, fails := range map[int64]bool{6: true, 7: false} {
		d := &result.Document{Users: []result.Users{{Change: &result.Change{NewlyRejected: 3, Most: &most}},
			{Change: &result.Change{NewlyRejected: 7, Most: &most}}}}
		if err := Exceeded(d); (err != nil) != fails {
			t.Errorf("at most %d: %v", most, err)
		}
	}
}
