package algorithms

import (
	"fmt"
	"math"

	"ratelab/internal/limit"
)

// intervalParameters are the parameters of buckets that are refilled at the end of whole intervals.
var intervalParameters = []Parameter{
	{Name: "capacity", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "the limit's burst",
		Doc: "the most tokens the bucket holds", Role: Capacity},
	{Name: "refill", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "what the limit brings in the interval",
		Doc: "the tokens that each interval brings. If neither is set: the limit's requests, or the capacity if " +
			"it is smaller"},
	{Name: "interval", Kind: Duration, Low: 1, High: limit.MaxWindow.Microseconds(),
		Default: "the time in which the limit brings the refill", Doc: "from refill to refill; rounded up to the " +
			"microsecond"},
}

// intervalBucket is the rule of such a bucket.
type intervalBucket struct {
	clock
	capacity, refill, intervalUS int64

	debt  int64 // how far below zero the balance may be
	lends bool  // a key lives until its bucket is full; otherwise as long as an empty bucket needs to fill
}

// prepareInterval returns Prepare for such a bucket. With lends, its balance may be negative.
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

// keepRate reads refill and interval. If only one is set, the other follows from the limit's rate, so that all rows
// have the same rate. If neither is set, a refill is at most the capacity.
//
// Note: a simpler default would be L tokens every W. But with a burst below L, the bucket would lose most of them.
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

// bound returns C + q·⌈τ/I⌉. A bucket that lends adds the most that one request can leave unpaid. A refill never adds
// more than fits.
//
// If the interval is not a multiple of the clock's step, the key can expire on the server's clock before the client's
// clock shows the last refill. The bucket is then full up to one step too early, at most once per interval.
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

// tokens is one bucket: its tokens at lastUS, the end of a whole interval of length intervalUS.
type tokens struct {
	life
	tokens, lastUS, intervalUS int64
}

// takes returns the most that one request can take from a balance of tokens.
func (b *intervalBucket) takes(tokens int64) int64 {
	if tokens <= 0 {
		return 0
	}
	return min(b.capacity, tokens+b.debt)
}

// decide takes the cost from the tokens of completed intervals. The balance must be positive before.
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
		// A full bucket equals a new one, so the expiry is part of the rule.
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

// refilled returns t at the present time. If the clock stepped back, the last interval begins now. If the interval's
// length has changed, the fraction of the interval that has passed stays the same.
func (b *intervalBucket) refilled(t *tokens, at *moment) (now tokens, changed bool) {
	if t.lastMS == 0 {
		return tokens{tokens: b.capacity, lastUS: at.nowUS, intervalUS: b.intervalUS}, false
	}
	now = *t
	now.tokens = max(-b.debt, now.tokens) // the rest of a larger debt is cancelled
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

// wait returns how long after nowUS the bucket has the wanted number of tokens.
func (b *intervalBucket) wait(t tokens, wanted, nowUS int64) int64 {
	if t.tokens >= wanted {
		return 0
	}
	return t.lastUS + ceilDiv(wanted-t.tokens, b.refill)*b.intervalUS - nowUS
}
