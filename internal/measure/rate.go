package measure

import "math/bits"

// RateDifference is how far an algorithm that counts against L is off in what it believes to have been used: the mean,
// over the requests that came when something was in use, of
//
//	|believed − exact| / exact
//
// where believed is L less what the limiter said would remain, before this request's cost is taken, and exact the cost
// which that same limiter admitted for the key in (t − W, t], this request left out. So it is 0 for a sliding log,
// and 1 for a window that has just been reset while W before it was full.
//
// It is the difference between the real rate and the approximate rate that Cloudflare published for their sliding
// counter, 6 % on average, over 400 million requests of 270,000 sources.
// Source: https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
//
// The sum is one of whole numbers, units of 2^-64, so that it does not depend on the order of the requests: each is
// rounded down to such a unit.
type RateDifference struct {
	Sum      Sum128 `json:"sum"` // in units of 2^-64
	Requests int64  `json:"requests"`
}

func (r *RateDifference) add(believed, exact int64) {
	if exact <= 0 {
		return
	}
	off, by := uint64(max(believed-exact, exact-believed)), uint64(exact)
	part, _ := bits.Div64(off%by, 0, by)
	r.Sum.add(Sum128{off / by, part})
	r.Requests++
}

// Mean is absent where nothing was ever in use.
func (r *RateDifference) Mean() *float64 {
	if r == nil || r.Requests == 0 {
		return nil
	}
	m := (float64(r.Sum.High) + float64(r.Sum.Low)/(1<<64)) / float64(r.Requests)
	return &m
}

// plus adds what was observed of other keys; nil is nothing.
func (r *RateDifference) plus(o *RateDifference) *RateDifference {
	if r == nil || o == nil {
		return nil
	}
	sum := *r
	sum.Sum.add(o.Sum)
	sum.Requests += o.Requests
	return &sum
}
