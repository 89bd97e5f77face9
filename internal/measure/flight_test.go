package measure

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ratelab/internal/limit"
)

// The figures of a limit on requests in flight are those of their definitions, computed slowly.
func TestRequestsInFlight(t *testing.T) {
	const most = 3
	p := limit.Policy{Requests: most, Contract: limit.ByFlight}
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		meter, reference, keys := NewMeter(p, 0), NewReference(p, 0), NewKeySet()
		type run struct {
			limit.Request
			mine, exact bool
		}
		var all []run
		var peak, full, free int64
		inFlight := func(q limit.Request, of func(run) bool) (n int64) {
			for _, o := range all {
				if of(o) && o.Key == q.Key && o.AtUS+o.TakesUS > q.AtUS {
					n++
				}
			}
			return n
		}
		at := int64(0)
		for range 200 {
			at += random.Int64N(3) * 10
			r := run{Request: limit.Request{AtUS: at, Key: fmt.Sprint("k", random.IntN(2)), Cost: 1,
				TakesUS: 1 + random.Int64N(8)*10}}
			number := keys.Add(r.Key)
			fits := inFlight(r.Request, func(o run) bool { return o.exact }) < most
			if r.exact = reference.Admit(r.Request, number); r.exact != fits {
				t.Fatalf("seed %d: the reference decides %v, by definition %v", seed, r.exact, fits)
			}
			d := limit.Decision{Verdict: limit.Verdict(random.IntN(2))}
			n := inFlight(r.Request, func(o run) bool { return o.mine })
			switch r.mine = d.Allowed(); {
			case r.mine && n >= most:
				full++
			case !r.mine && n < most:
				free++
			}
			if r.mine {
				peak = max(peak, n+1)
			}
			meter.Observe(r.Request, number, d)
			all = append(all, r)
		}
		got, err := meter.Tally(0, reference.Admitted(), reference.Rejected())
		if err != nil {
			t.Fatal(err)
		}
		if got.Counts.Peak != peak || got.Slots.AdmittedFull != full || got.Slots.RefusedFree != free {
			t.Errorf("seed %d: peak %d, %+v; want %d, %d, %d", seed, got.Counts.Peak, *got.Slots, peak, full, free)
		}
		exact, err := reference.Tally(0, nil, nil)
		if err != nil || exact.Counts.Excess != 0 || exact.Counts.Peak > most {
			t.Errorf("seed %d: the reference exceeds the limit: %+v, %v", seed, exact.Counts, err)
		}
	}
}
