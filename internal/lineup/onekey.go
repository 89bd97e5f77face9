package lineup

import (
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// OneKey is a key and a moment: what is left when nothing but its requests has arrived, up to and with that moment, is
// what that key takes.
type OneKey struct {
	Key     string
	UntilUS int64
}

// Of is that part of the traffic.
func (o OneKey) Of(t replay.Traffic) replay.Traffic { return &oneKey{o, t} }

type oneKey struct {
	OneKey
	all replay.Traffic
}

// Requests are the key's, and end at the moment.
func (o *oneKey) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range o.all.Requests() {
			if err == nil && q.AtUS > o.UntilUS {
				return
			}
			if (err != nil || q.Key == o.Key) && !yield(q, err) {
				return
			}
		}
	}
}

// Duration is until the moment is over.
func (o *oneKey) Duration() (time.Duration, bool) {
	return time.Duration(o.UntilUS+1) * time.Microsecond, true
}
