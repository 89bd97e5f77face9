package clients

import (
	"context"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// Limiter is a Server that asks a limit.Model. It can check whether the limiter's retry_after is correct.
type Limiter struct {
	limiter limit.Model
	startUS int64

	// TickUS is the precision of retry_after: 1 µs, or 1 ms if it is a TTL. If TickUS is 0, no rejection is checked.
	// Otherwise the first mostChecks rejections are checked.
	TickUS int64
	truth  measure.RetryAfter
}

// mostChecks is the most rejections per run that are checked. Each check copies the state of a key twice.
const mostChecks = 20_000

// NewLimiter returns a Limiter that asks l. Times in the scenario count from start.
func NewLimiter(l limit.Model, start time.Time) *Limiter {
	return &Limiter{limiter: l, startUS: start.UnixMicro()}
}

// RetryAfter returns how often retry_after was correct. It is correct if the same request, without other requests, is
// admitted after this time, but not one tick earlier. RetryAfter returns nil if nothing was to be checked.
func (l *Limiter) RetryAfter() *measure.RetryAfter {
	if l.TickUS == 0 {
		return nil
	}
	return &l.truth
}

// Serve decides q and ignores the message.
func (l *Limiter) Serve(_ context.Context, q limit.Request, _ any) (any, error) {
	d := limit.Ask(l.limiter, l.startUS, &q)
	if d.Verdict == limit.Rejected && d.RetryAfterUS > 0 && l.TickUS > 0 && l.truth.Checked < mostChecks {
		l.check(q, d.RetryAfterUS)
	}
	return d, nil
}

// WouldAdmit reports whether q would be admitted. It changes no state.
func (l *Limiter) WouldAdmit(q limit.Request) bool {
	return limit.Ask(l.limiter.Fork(q.Key), l.startUS, &q).Allowed()
}

// check checks retryAfterUS, with two copies of the key's state and no other requests. One copy gets the request again
// after retryAfterUS, and the other one tick earlier. The clocks keep their errors.
func (l *Limiter) check(q limit.Request, retryAfterUS int64) {
	then, before := q, q
	then.AtUS += retryAfterUS
	before.AtUS = max(then.AtUS-l.TickUS, q.AtUS)
	atLast, sooner := l.WouldAdmit(then), l.WouldAdmit(before)
	l.truth.Checked++
	switch {
	case !atLast:
		l.truth.TooEarly++
	case sooner:
		l.truth.TooLate++
	default:
		l.truth.True++
	}
}
