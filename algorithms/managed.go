package algorithms

import (
	"maps"

	"ratelab/internal/limit"
)

// managed is one bucket; without applications there is none. Its level is in units of 1/w permit, and was so at
// lastUS; a zero lastUS stands for a full bucket.
type managed struct {
	configuration
	applications
	level, lastUS int64
}

// over is never where something was configured: it lives until it is deleted, so that memory grows with the buckets, in
// the model as in Redis.
func (b *managed) over(int64) bool { return b.applications == nil }

func (b *managed) reset() { *b = managed{} }

// clone shares the applications, which nobody changes.
func (b *managed) clone() managed { return *b }

// configuration says that capacity permits fit, and one comes back every w/l µs.
type configuration struct{ capacity, w, l int64 }

// applications are the names of those that may use a bucket; everyone stands for all.
type applications map[string]bool

const everyone = "*"

// listed makes the list of names; of none, that of everyone.
func listed(names ...string) applications {
	list := applications{}
	for _, name := range names {
		list[name] = true
	}
	if len(names) == 0 {
		list[everyone] = true
	}
	return list
}

// notConfigured is the answer where there is no bucket, or the application is not on its list.
var notConfigured = limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}

// init configures the bucket. The same configuration again changes nothing; another one fills the bucket.
func (b *managed) init(nowUS int64, c configuration, list applications) limit.Decision {
	if b.configuration != c || !maps.Equal(b.applications, list) {
		*b = managed{configuration: c, applications: list}
	}
	level, early := b.at(nowUS)
	return limit.Decision{Verdict: limit.Allowed, Remaining: level / c.w, ResetAfterUS: b.filling(level, early)}
}

// acquire takes cost permits for application.
func (b *managed) acquire(nowUS, cost int64, application string) limit.Decision {
	if !b.applications[application] && !b.applications[everyone] {
		return notConfigured
	}
	level, early := b.at(nowUS)
	if cost <= b.capacity && cost*b.w <= level {
		level -= cost * b.w
		resetUS := b.filling(level, early)
		b.level, b.lastUS = level, nowUS+early
		return limit.Decision{Verdict: limit.Allowed, Remaining: level / b.w, ResetAfterUS: resetUS}
	}
	d := limit.Decision{Remaining: level / b.w, RetryAfterUS: limit.Never, ResetAfterUS: b.filling(level, early)}
	if cost <= b.capacity {
		d.RetryAfterUS = early + ceilDiv(cost*b.w-level, b.l)
	}
	return d
}

// at is the level at nowUS, and how long a clock that stepped back is behind the time from which on it rises.
func (b *managed) at(nowUS int64) (level, early int64) {
	full := b.capacity * b.w
	switch elapsed := nowUS - b.lastUS; {
	case b.lastUS == 0 || elapsed > full/b.l:
		return full, 0
	case elapsed < 0:
		return b.level, -elapsed
	default:
		return min(full, b.level+elapsed*b.l), 0
	}
}

// filling is the time until a bucket of that level is full.
func (b *managed) filling(level, early int64) int64 {
	if full := b.capacity * b.w; level < full {
		return early + ceilDiv(full-level, b.l)
	}
	return 0
}
