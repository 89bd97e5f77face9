package lineup_test

import (
	"errors"
	"iter"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
)

// listed is traffic that is known, and breaks off with err.
type listed struct {
	requests []limit.Request
	err      error
}

func (l listed) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range l.requests {
			if !yield(q, nil) {
				return
			}
		}
		if l.err != nil {
			yield(limit.Request{}, l.err)
		}
	}
}

func (l listed) Duration() (time.Duration, bool) { return time.Hour, true }

// Nothing arrives but what the key asks, up to and with the moment.
func TestOneKey(t *testing.T) {
	broken := errors.New("broken")
	all := listed{[]limit.Request{{AtUS: 1, Key: "a", Cost: 1}, {AtUS: 1, Key: "b", Cost: 1},
		{AtUS: 5, Key: "a", Cost: 2}, {AtUS: 5, Key: "a", Cost: 3}, {AtUS: 6, Key: "a", Cost: 4}}, broken}
	for until, want := range map[int64]int64{0: 0, 1: 1, 4: 1, 5: 6, 6: 10} {
		one, sum := lineup.OneKey{Key: "a", UntilUS: until}.Of(all), int64(0)
		var failed error
		for q, err := range one.Requests() {
			if failed = err; err == nil {
				sum += q.Cost
			}
		}
		if sum != want || (failed == broken) != (until == 6) {
			t.Errorf("until %d: a cost of %d, want %d; %v", until, sum, want, failed)
		}
		if d, known := one.Duration(); !known || d != time.Duration(until+1)*time.Microsecond {
			t.Errorf("until %d: lasts %v", until, d)
		}
	}
}
