package limits

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// definition applies the definition of the contracts: a limit refuses a request if an interval that ends with it would
// have more than the contract allows. Only admitted requests count, of all clients with the same part of the key.
func definition(all []limit.Request, limits []limit.Limit) []limit.Each {
	part := func(l limit.Limit, key string) string {
		if l.Part == 0 {
			return key
		}
		return strings.Split(key, "|")[l.Part-1]
	}
	refused := make([]limit.Each, len(all))
	for i, q := range all {
		for n, l := range limits {
			sum := int64(0)
			for j := i; j >= 0; j-- {
				o := all[j]
				if j < i && (refused[j] != 0 || part(l, o.Key) != part(l, q.Key)) {
					continue
				}
				if sum += o.Cost; l.CountsRequests {
					sum += 1 - o.Cost
				}
				age := q.AtUS - o.AtUS
				over := sum > l.Requests && age < l.WindowUS()
				if l.Contract == limit.ByBucket { // sum > B + age·L/W; the numbers are small
					over = sum*l.WindowUS() > l.Capacity()*l.WindowUS()+age*l.Requests
				}
				if over {
					refused[i] |= 1 << n
					break
				}
			}
		}
	}
	return refused
}

// drawnLimits returns several random limits. They have both contracts, count requests or costs, and apply to parts of
// the key.
func drawnLimits(t *rapid.T) (all []limit.Limit) {
	for i := range rapid.IntRange(1, 4).Draw(t, "limits") {
		l := limit.Limit{Name: limit.DefaultName(i), CountsRequests: rapid.Bool().Draw(t, "counts requests"),
			Part: rapid.IntRange(0, 2).Draw(t, "part")}
		l.Requests = rapid.Int64Range(1, 20).Draw(t, "limit")
		l.Window = rapid.SampledFrom([]time.Duration{time.Second, 1500 * time.Millisecond, 7 * time.Second,
			time.Minute}).Draw(t, "window")
		if rapid.Bool().Draw(t, "bucket") {
			l.Contract, l.Burst = limit.ByBucket, rapid.Int64Range(0, 12).Draw(t, "burst")
		}
		all = append(all, l)
	}
	return all
}

// The requests that several limits refuse are those that the definition gives: together, by each limit alone, and as an
// old or a new policy.
func TestSeveralLimitsRefuseWhatTheirDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, log := drawn(t, []string{"a|x", "b|x", "c|y", "a|y"})
		policies := [][]limit.Limit{drawnLimits(t), drawnLimits(t)}
		d, err := Look(policies, oneByOne([]*Log{log}))
		if err != nil {
			t.Fatal(err)
		}
		refused := [][]limit.Each{definition(all, policies[0]), definition(all, policies[1])}
		for n, limits := range policies {
			want, who := result.Rejected{Limit: result.LimitOf(limits[0].Policy)}, map[string]*result.Client{}
			for i, q := range all {
				c := who[q.Key]
				if c == nil {
					c = &result.Client{Key: q.Key}
					who[q.Key] = c
				}
				if c.Asked += q.Cost; refused[n][i] == 0 {
					continue
				}
				if c.Rejected == 0 {
					c.FirstUS = q.AtUS
					want.Clients++
				}
				c.Rejected, c.LastUS = c.Rejected+q.Cost, q.AtUS
				want.Rejected += q.Cost
				want.RejectedRequests++
			}
			if len(limits) == 1 {
				want.RejectedRequests = 0
			} else {
				for k, l := range limits {
					one := result.Refusing{NamedLimit: result.NamedLimitOf(l)}
					for i, q := range all {
						if !refused[n][i].Has(k) {
							continue
						}
						if one.Refused++; refused[n][i] == 1<<k {
							one.RefusedAlone++
						}
						c := who[q.Key]
						if c.Refused == nil {
							c.Refused = map[string]int64{}
						}
						c.Refused[l.Name]++
					}
					want.Limits = append(want.Limits, one)
				}
			}
			got := d.Users[0].Limits[n]
			for _, c := range got.Who {
				if diff := cmp.Diff(*who[c.Key], c); diff != "" {
					t.Fatalf("%v: %s", limits, diff)
				}
			}
			if len(got.Who) != int(want.Clients) {
				t.Fatalf("%v: %d clients are listed, want %d", limits, len(got.Who), want.Clients)
			}
			got.Who = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v: %s", limits, diff)
			}
		}
		var newly int64
		for i, q := range all {
			if refused[0][i] == 0 && refused[1][i] != 0 {
				newly += q.Cost
			}
		}
		if got := d.Users[0].Change.NewlyRejected; got != newly {
			t.Fatalf("%v to %v newly rejects %d, want %d", policies[0], policies[1], got, newly)
		}
	})
}

// The page writes limits so that ParseLimits reads the same limits.
func TestTheWrittenLimitsAreTheGivenOnes(t *testing.T) {
	for _, text := range []string{"10/1s+100/1m", "120/1m:requests:key=2:name=rpm+1000/24h:burst=7",
		"5/1500ms:burst=5+5/1m:name=tpm"} {
		limits, err := limit.ParseLimits(text)
		if err != nil {
			t.Fatal(err)
		}
		log, err := Read(stream([]limit.Request{{Key: "a|b", Cost: 1}}))
		if err != nil {
			t.Fatal(err)
		}
		got := written(log.rejected(limits, make([]limit.Each, 1)))
		again, err := limit.ParseLimits(got)
		if err != nil || !slices.EqualFunc(again, limits, same) {
			t.Errorf("%s is written as %s (%v)", text, got, err)
		}
	}
}

func same(a, b limit.Limit) bool {
	a.Burst, b.Burst = a.Capacity(), b.Capacity()
	return a == b
}

// The error names a key that does not have the part that a limit applies to.
func TestAKeyWithoutThePartIsAnError(t *testing.T) {
	log, err := Read(stream([]limit.Request{{Key: "a|b", Cost: 1}, {Key: "c", Cost: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	limits, err := limit.ParseLimits("1/1s+1/1m:key=2")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Look([][]limit.Limit{limits}, oneByOne([]*Log{log}))
	if err == nil || !strings.HasPrefix(err.Error(), `--limit: key "c" has no part 2, which the limit limit2`) {
		t.Error(err)
	}
}
