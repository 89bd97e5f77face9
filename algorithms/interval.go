package algorithms

import (
	"fmt"
	"math"

	"ratelab/internal/limit"
)

// intervalParameters are those of the buckets that are refilled at whole intervals.
var intervalParameters = []Parameter{
	{Name: "capacity", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "the limit's burst",
		Doc: "the most tokens the bucket holds", Role: Capacity},
	{Name: "refill", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "what the limit brings in the interval",
		Doc: "the tokens that each interval brings. Where neither is set: the limit's requests, or the capacity if " +
			"it is smaller"},
	{Name: "interval", Kind: Duration, Low: 1, High: limit.MaxWindow.Microseconds(),
		Default: "the time in which the limit brings the refill", Doc: "from refill to refill; rounded up to the " +
			"microsecond"},
}

// intervalBucket is the rule of such a bucket.
type intervalBucket struct {
	clock
	capacity, refill, intervalUS int64

	debt  int64 // how far below zero a balance may go
	lends bool  // a key lives until its bucket is full, and otherwise for as long as an empty one takes
}

// prepareInterval is Prepare for such a bucket, which may lend.
func prepareInterval(lends bool) func(limit.Policy, Values) (Rule, error) {
	return func(p limit.Policy, v Values) (Rule, error) {
		b := &intervalBucket{clock: v.clock(), capacity: v.Integer("capacity", p.Capacity()), lends: lends}
		if err := b.keepRate(p, v); err != nil {
			return Rule{}, err
		}
		args := decimal(b.capacity, b.refill, b.intervalUS)
		if lends {
			if b.debt = v.Integer("debt", b.capacity-1); b.debt >= b.capacity {
				return Rule{}, fmt.Errorf("debt %d: want less than the capacity, %d", b.debt, b.capacity)
			}
			args = append(args, decimal(b.debt)...)
		}
		in := b.clock.limiter(args, nil, newModel[tokens](b.clock, b))
		in.MostAdmitted = b.bound()
		return in, withinSpan("filling the bucket", ceilDiv(b.capacity+b.debt, b.refill), b.intervalUS,
			limit.MaxExact/2, 1)
	}
}

// keepRate reads refill and interval. What is not set follows from the other one at the limit's rate, so that rows
// are compared at one rate; where neither is, no more is refilled at once than the bucket holds.
//
// Note: L tokens every W would be the plainer default. With a burst below L most of them would be spilt.
func (b *intervalBucket) keepRate(p limit.Policy, v Values) error {
	if v.isSet("interval") {
		b.intervalUS = v.DurationUS("interval", 0)
		brought, _ := limit.Quotient(p.Requests, b.intervalUS, p.WindowUS(), limit.MaxRequests)
		b.refill = v.Integer("refill", max(1, brought))
		return nil
	}
	b.refill = v.Integer("refill", min(p.Requests, b.capacity))
	longest := limit.MaxWindow.Microseconds()
	needed, rest := limit.Quotient(b.refill, p.WindowUS(), p.Requests, longest)
	if needed == longest && b.refill > p.Requests {
		return fmt.Errorf("refill %d: the limit takes %s or longer to bring it; set the interval too, or a "+
			"smaller refill",
			b.refill, limit.FormatDuration(limit.MaxWindow))
	}
	if rest {
		needed++
	}
	b.intervalUS = v.DurationUS("interval", needed)
	return nil
}

// bound is C + q·⌈τ/I⌉, and for a bucket that lends as much more as the costliest request can leave unpaid. A refill
// never brings more than fits.
//
// In a coarse clock's steps that are no whole part of the interval, the key can expire on the server's clock before
// the client's shows the last refill: the bucket is then full up to a step too early, once in an interval at most.
func (b *intervalBucket) bound() func(spanUS, largestCost int64) int64 {
	most := envelope(func(tauUS, largestCost int64) int64 {
		unpaid := max(0, min(b.debt, largestCost-1, b.capacity-1))
		return sum(b.capacity+unpaid, product(min(b.refill, b.capacity+unpaid), ceilDiv(tauUS, b.intervalUS)))
	})
	if b.intervalUS%b.stepUS == 0 {
		return most.mostAdmitted(b.stepUS)
	}
	return envelope(func(tauUS, largestCost int64) int64 {
		early := product(b.stepUS-1, tauUS/b.intervalUS+2)
		return most(sum(tauUS, early), largestCost)
	}).mostAdmitted(1)
}

// tokens is one bucket: how many there were at lastUS, the end of a whole interval of intervalUS.
type tokens struct {
	life
	tokens, lastUS, intervalUS int64
}

// takes is what one request could take from a balance of tokens.
func (b *intervalBucket) takes(tokens int64) int64 {
	if tokens <= 0 {
		return 0
	}
	return min(b.capacity, tokens+b.debt)
}

// decide takes the cost from what whole intervals have brought: from a positive balance.
func (b *intervalBucket) decide(at *moment, s *tokens, cost int64) limit.Decision {
	now, changed := b.refilled(s, at)
	allowed := cost <= b.takes(now.tokens)
	if allowed {
		now.tokens -= cost
	}
	if allowed || changed {
		earned := b.capacity
		if b.lends {
			earned -= now.tokens
		}
		lifeUS := max(0, now.lastUS-at.nowUS) + ceilDiv(earned, b.refill)*b.intervalUS
		// A full bucket is a new one, so the expiry is part of the rule.
		now.lastMS = at.nowMS + max(1, ceilDiv(lifeUS, 1000))
		*s = now
	}
	d := limit.Decision{Remaining: b.takes(now.tokens), ResetAfterUS: b.wait(now, b.capacity, at.nowUS)}
	switch {
	case allowed:
		d.Verdict = limit.Allowed
	case cost > b.capacity:
		d.RetryAfterUS = limit.Never
	default:
		d.RetryAfterUS = b.wait(now, max(1, cost-b.debt), at.nowUS)
	}
	return d
}

// refilled is what t has become by now. Where the clock stepped back, its last interval begins now, and where the
// interval's length has changed, the part of it that has passed is the same part of the new one.
func (b *intervalBucket) refilled(t *tokens, at *moment) (now tokens, changed bool) {
	if t.lastMS == 0 {
		return tokens{tokens: b.capacity, lastUS: at.nowUS, intervalUS: b.intervalUS}, false
	}
	now = *t
	now.tokens = max(-b.debt, now.tokens) // of a larger debt the rest is forgiven
	intervals := max(0, floorDiv(at.nowUS-now.lastUS, now.intervalUS))
	now.lastUS += intervals * now.intervalUS
	if intervals >= ceilDiv(b.capacity-now.tokens, b.refill) {
		now.tokens = b.capacity
	} else {
		now.tokens += intervals * b.refill
	}
	changed = now.lastUS > at.nowUS+b.marginUS() || now.intervalUS != b.intervalUS
	if changed { // in doubles, as in the script
		passed := float64(at.nowUS-now.lastUS) * float64(b.intervalUS)
		now.lastUS = at.nowUS - max(0, int64(math.Floor(passed/float64(now.intervalUS))))
		now.intervalUS = b.intervalUS
	}
	return now, changed
}

// wait is how long after nowUS the bucket has so many tokens.
func (b *intervalBucket) wait(t tokens, wanted, nowUS int64) int64 {
	if t.tokens >= wanted {
		return 0
	}
	return t.lastUS + ceilDiv(wanted-t.tokens, b.refill)*b.intervalUS - nowUS
}
