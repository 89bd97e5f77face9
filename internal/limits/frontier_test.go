package limits

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// drawn returns random traffic of a few clients, with bursts and pauses, in the order of time.
func drawn(t *rapid.T, clients []string) (all []limit.Request, log *Log) {
	costly := rapid.Bool().Draw(t, "costs")
	var at int64
	gap := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 3_000), rapid.Int64Range(0, 400_000),
		rapid.Int64Range(0, 3_000_000), rapid.SampledFrom([]int64{999_999, 1_000_000}))
	for range rapid.IntRange(1, 60).Draw(t, "requests") {
		at += gap.Draw(t, "gap")
		q := limit.Request{AtUS: at, Key: rapid.SampledFrom(clients).Draw(t, "key"), Cost: 1}
		if costly {
			q.Cost = rapid.Int64Range(1, 7).Draw(t, "cost")
		}
		all = append(all, q)
	}
	log, err := Read(stream(all))
	if err != nil {
		t.Fatal(err)
	}
	return all, log
}

// played lets a model decide under a limit. It returns the number of clients with a rejection, the number of rejected
// requests, and the most that was admitted for all clients in any (t − 1 s, t].
func played(t *rapid.T, name string, p limit.Policy, all []limit.Request) (clients, requests, second int64) {
	choice, err := algorithms.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Under(p)
	if err != nil {
		t.Fatal(err)
	}
	model, touched := in.NewModel(), map[string]bool{}
	var admitted []limit.Request
	for _, q := range all {
		if !limit.Ask(model, 1_704_067_200_123_456, &q).Allowed() {
			requests++
			touched[q.Key] = true
			continue
		}
		admitted = append(admitted, q)
		sum := int64(0)
		for _, o := range admitted {
			if o.AtUS > q.AtUS-1_000_000 {
				sum += o.Cost
			}
		}
		second = max(second, sum)
	}
	return int64(len(touched)), requests, second
}

// Each limit of a frontier rejects no more than its share, and the limit below it rejects more. The busiest second is
// that of the admitted requests. The models decide.
func TestFrontierIsWhatTheModelsDo(t *testing.T) {
	var many []string
	for i := range 40 { // so that a share of 5 % is two clients
		many = append(many, string(rune('a'+i)))
	}
	rapid.Check(t, func(t *rapid.T) {
		all, log := drawn(t, rapid.SampledFrom([][]string{{"a", "b", "c"}, many}).Draw(t, "clients"))
		w := rapid.SampledFrom([]time.Duration{time.Second, 1500 * time.Millisecond, 4 * time.Second, time.Minute,
			2500 * time.Microsecond}).Draw(t, "window")
		p := limit.Policy{Requests: rapid.Int64Range(1, 40).Draw(t, "rate"), Window: w}
		log.survey(rapid.IntRange(1, 9).Draw(t, "requests in a block"))
		frontier := func(r rule) result.Frontier {
			rules, needs := log.under(1, func(int) rule { return r })
			return log.frontier(result.Frontier{}, rules[0], needs[0])
		}
		for name, f := range map[string]result.Frontier{
			"sliding-window-log": frontier(window(w.Microseconds())),
			"token-bucket":       frontier(bucket(p)),
		} {
			under := func(least int64) (clients, requests, second int64) {
				at := limit.Policy{Requests: least, Window: w}
				if name != "sliding-window-log" {
					at = p
					at.Burst = least
				}
				return played(t, name, at, all)
			}
			unit := log.Cost == log.Requests
			if len(f.Clients) != 4 || unit != (len(f.Requests) == 4) {
				t.Fatalf("%d and %d limits", len(f.Clients), len(f.Requests))
			}
			for i, least := range slices.Concat(f.Clients, f.Requests) {
				clients, requests, second := under(least.Limit)
				rejected := func(clients, requests int64) (part, whole int64) {
					if i < len(f.Clients) {
						return clients, int64(len(log.clients))
					}
					return requests, log.Requests
				}
				part, whole := rejected(clients, requests)
				if float64(part) > least.Share*float64(whole)+1e-9 {
					t.Fatalf("%s at %d rejects %d of %d; want at most %v", name, least.Limit, part, whole, least.Share)
				}
				if second != least.BusiestSecond {
					t.Fatalf("%s at %d: the busiest second is %d, want %d", name, least.Limit, least.BusiestSecond,
						second)
				}
				if least.Limit == 1 {
					continue
				}
				clients, requests, _ = under(least.Limit - 1)
				if part, whole = rejected(clients, requests); float64(part) <= least.Share*float64(whole)+1e-9 {
					t.Fatalf("%s at %d rejects %d of %d: not the least", name, least.Limit-1, part, whole)
				}
			}
		}
	})
}

// The least burst is the largest difference between the cost in a closed interval and the tokens that the rate brings
// in this interval, rounded up. This is true for costs and pauses of any size.
func TestLeastBurstIsWhatItsDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := limit.Policy{Requests: rapid.Int64Range(1, limit.MaxRequests).Draw(t, "requests"),
			Window: rapid.SampledFrom([]time.Duration{limit.MinWindow, time.Minute, time.Hour, limit.MaxWindow}).
				Draw(t, "window")}
		w, l := p.Interval()
		var all []request
		var at int64
		cost := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 900_000_000), rapid.Just(mostUnits/w),
			rapid.Just(int64(limit.MaxRequests)))
		fillUS := min(mostUnits/w, limit.MaxRequests) * w / l // until the largest bucket is full
		gap := rapid.OneOf(rapid.Int64Range(0, 2), rapid.Int64Range(0, 2_000_000_000),
			rapid.Int64Range(0, min(2*fillUS, 1<<58)))
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			at += gap.Draw(t, "gap")
			all = append(all, request{atUS: at, cost: cost.Draw(t, "cost")})
		}
		want := new(big.Int) // in units of 1/w
		for i, first := range all {
			asked := int64(0)
			for _, last := range all[i:] {
				asked += last.cost
				level := product(asked, w)
				if level.Sub(level, product(last.atUS-first.atUS, l)); level.Cmp(want) > 0 {
					want = level
				}
			}
		}
		least := limit.MaxRequests + int64(1)
		if want.Cmp(product(min(mostUnits/w, least), w)) < 0 {
			least = want.Add(want, big.NewInt(w-1)).Div(want, big.NewInt(w)).Int64()
		}
		if got := bucket(p).need(all); got != least {
			t.Fatalf("%v at %v: %d, want %d", all, p, got, least)
		}
	})
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// The rates are round numbers in ascending order. They reach from the rate of a busy hour to that of a busy second.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		perHour, perSecond int64
		want               string
	}{
		{34, 7, "1/1m 2/1m 10/1m 30/1m 2/1s 5/1s"},
		{0, 0, "1/1m 2/1m 5/1m 10/1m 30/1m 1/1s"},
		{19366, 19, "5/1s 10/1s 20/1s 50/1s 100/1s 200/1s"},
		{36_000, 10_000, "10/1s 50/1s 200/1s 500/1s 2000/1s 10000/1s"},
		{1 << 62, 1 << 62, "10000000/1s 20000000/1s 50000000/1s 100000000/1s 200000000/1s 500000000/1s"},
	} {
		got := ""
		for _, p := range rates(c.perHour, c.perSecond) {
			got += " " + p.String()
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
		}
		if got != " "+c.want {
			t.Errorf("%d an hour, %d a second: %s, want %s", c.perHour, c.perSecond, got, c.want)
		}
	}
}
