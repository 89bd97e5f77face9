package limits

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// admittedInFlight applies the definition: a request is admitted if fewer than most admitted requests are in flight
// when it starts. It returns the largest number in flight and the number of rejected requests.
func admittedInFlight(all []limit.Request, most int) (peak, rejected int) {
	var admitted []limit.Request
	for _, q := range all {
		inFlight := 0
		for _, o := range admitted {
			if o.Key == q.Key && o.AtUS+o.TakesUS > q.AtUS {
				inFlight++
			}
		}
		if inFlight >= most {
			rejected++
			continue
		}
		admitted = append(admitted, q)
		peak = max(peak, inFlight+1)
	}
	return peak, rejected
}

// The figures are those of the definition: each limit rejects no more than its share, and the limit below it rejects
// more.
func TestInFlightIsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []limit.Request
		at := int64(0)
		keys := rapid.IntRange(1, 30).Draw(t, "keys")
		for range rapid.IntRange(1, 120).Draw(t, "requests") {
			at += rapid.Int64Range(0, 3).Draw(t, "gap")
			key := fmt.Sprintf("%02d", rapid.IntRange(1, keys).Draw(t, "key"))
			takes := rapid.Int64Range(1, 9).Draw(t, "takes")
			all = append(all, limit.Request{AtUS: at, Key: key, Cost: 1, TakesUS: takes})
		}
		spans, err := ReadSpans(stream(all))
		if err != nil {
			t.Fatal(err)
		}
		f := spans.InFlight()
		of := map[string][]limit.Request{}
		for _, q := range all {
			of[q.Key] = append(of[q.Key], q)
		}
		var peaks []int64
		for _, requests := range of {
			peak, _ := admittedInFlight(requests, len(requests))
			peaks = append(peaks, int64(peak))
		}
		slices.Sort(peaks)
		if f.Most != peaks[len(peaks)-1] || f.P50 != peaks[(len(peaks)+1)/2-1] {
			t.Fatalf("most %d, p50 %d; want those of %v", f.Most, f.P50, peaks)
		}
		for i, share := range []float64{0, 0.001, 0.01, 0.05} {
			exceeds := func(most int64, byClients bool) bool {
				rejected, clients := 0, 0
				for _, requests := range of {
					_, n := admittedInFlight(requests, int(most))
					rejected += n
					clients += min(n, 1)
				}
				if byClients {
					return float64(clients) > share*float64(len(of))
				}
				return float64(rejected) > share*float64(len(all))
			}
			for k, list := range [][]int64{{f.Clients[i].Limit, 1}, {f.Requests[i].Limit, 0}} {
				least, byClients := list[0], k == 0
				if exceeds(least, byClients) || least > 1 && !exceeds(least-1, byClients) {
					t.Fatalf("%d is not the least limit for %v of the clients: %t", least, share, byClients)
				}
			}
		}
	})
}
