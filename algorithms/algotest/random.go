package algotest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ratelab/internal/limit"
)

// RandomSteps is the number of requests in a random trace.
const RandomSteps = 400

// RandomLimit draws a limit and, for the algorithms that have some, parameters (clocked: time and granularity): small
// numbers that a trace can exhaust, windows that no count divides, and now and then limits at the end of what is exact.
func RandomLimit(r *rand.Rand, algorithm string, clocked bool) (label string, p limit.Policy) {
	windows := []time.Duration{time.Millisecond, 1500 * time.Microsecond, 7777 * time.Microsecond,
		10 * time.Millisecond,
		time.Second, 1000003 * time.Microsecond, 3 * time.Second, 24 * time.Hour}
	p = limit.Policy{Requests: 1 + r.Int64N(9), Window: windows[r.IntN(len(windows))]}
	switch r.IntN(6) {
	case 0:
		p = limit.Policy{Requests: 1_000_000, Window: 24 * time.Hour}
	case 1:
		p.Requests = 1 + r.Int64N(1000)
	}
	if r.IntN(3) == 0 {
		p.Burst = 1 + r.Int64N(2*p.Requests)
	}
	return algorithm + parameters(r, algorithm, clocked, p), p
}

func parameters(r *rand.Rand, algorithm string, clocked bool, p limit.Policy) string {
	text := ""
	switch algorithm {
	case "sliding-window-buckets":
		text = fmt.Sprintf(":subwindows=%d", 1+r.Int64N(12))
	case "token-bucket-interval", "token-bucket-debt":
		text = fmt.Sprintf(":refill=%d", 1+r.Int64N(p.Requests))
	}
	if algorithm == "token-bucket-debt" && r.IntN(2) == 0 {
		text += fmt.Sprintf(":debt=%d", r.Int64N(p.Capacity()))
	}
	if !clocked {
		return text
	}
	return text + []string{"", ":time=server", ":time=client", ":time=client:granularity=1ms",
		":time=client:granularity=1s"}[r.IntN(5)]
}

// RandomRequests draws requests that never go back in time, and lets l decide them on the way: the next request
// often comes at the instant at which the last answer said that something changes, or a microsecond off.
func RandomRequests(r *rand.Rand, p limit.Policy, l limit.Limiter) ([]limit.Request, []limit.Decision) {
	var requests []limit.Request
	var decisions []limit.Decision
	at := r.Int64N(2 * p.WindowUS())
	for range RandomSteps {
		q := limit.Request{AtUS: at, Key: fmt.Sprintf("k%d", r.IntN(2)), Cost: randomCost(r, p)}
		d := l.Decide(StartUS+q.AtUS, q.Key, q.Cost)
		requests, decisions = append(requests, q), append(decisions, d)
		at += pause(r, p, d)
	}
	return requests, decisions
}

// randomCost is mostly small, sometimes as much as there is, and sometimes more than there ever will be.
func randomCost(r *rand.Rand, p limit.Policy) int64 {
	switch r.IntN(4) {
	case 0:
		return 1 + r.Int64N(p.Capacity()+1)
	case 1:
		return 1 + r.Int64N(max(1, p.Requests/2))
	}
	return 1 + r.Int64N(max(1, p.Requests/20))
}

func pause(r *rand.Rand, p limit.Policy, d limit.Decision) int64 {
	w := p.WindowUS()
	switch r.IntN(9) {
	case 0, 1:
		return 0
	case 2:
		return r.Int64N(3)
	case 3, 4:
		return max(0, d.RetryAfterUS-r.Int64N(2))
	case 5:
		return max(0, d.ResetAfterUS+r.Int64N(3)-1)
	case 6:
		return r.Int64N(2 * w)
	}
	return r.Int64N(1 + 2*w/p.Requests)
}
