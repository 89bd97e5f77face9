package load

import (
	"iter"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// listing is traffic of so many µs, or where that is 0 of a length that is known when it has been read: until its last
// request.
type listing struct {
	requests []limit.Request
	lastsUS  int64
}

func (l *listing) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range l.requests {
			if !yield(q, nil) {
				return
			}
		}
		if n := len(l.requests); n > 0 && l.lastsUS == 0 {
			l.lastsUS = l.requests[n-1].AtUS
		}
	}
}

func (l *listing) Duration() (time.Duration, bool) {
	return time.Duration(l.lastsUS) * time.Microsecond, l.lastsUS > 0
}

// costs are requests at these instants, in µs, with these costs.
func costly(pairs ...int64) []limit.Request {
	var all []limit.Request
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, limit.Request{AtUS: pairs[i], Key: "k", Cost: pairs[i+1]})
	}
	return all
}

func TestWhatIsPlayed(t *testing.T) {
	const us = time.Microsecond
	traffic := costly(0, 1, 10, 1, 20, 5, 25, 1, 40, 3, 45, 3, 100, 1)
	for name, c := range map[string]struct {
		wish        Wish
		lasts       int64
		from, until time.Duration
		requests    int
	}{
		"all":                        {Wish{}, 100, 0, 100, 7}, // the last instant belongs to it
		"a trace":                    {Wish{}, 0, 0, 100, 7},
		"the beginning":              {Wish{For: 10 * us}, 100, 0, 10, 1},
		"from somewhere":             {Wish{From: 20 * us, For: 20 * us}, 100, 20, 40, 2}, // the end does not
		"from somewhere on":          {Wish{From: 25 * us}, 100, 25, 100, 4},
		"longer than there is":       {Wish{From: 41 * us, For: time.Minute}, 100, 41, 100, 2},
		"nothing in it, but allowed": {Wish{From: 50 * us, For: 10 * us}, 100, 50, 60, 0},
	} {
		p, err := NewPart(&listing{traffic, c.lasts}, c.wish)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.From != c.from*us || p.Until != c.until*us || len(p.Requests) != c.requests {
			t.Errorf("%s: %v to %v with %d requests; want %v to %v with %d", name, p.From, p.Until, len(p.Requests),
				c.from*us, c.until*us, c.requests)
		}
	}
	for _, from := range []time.Duration{100 * us, time.Hour} {
		_, err := NewPart(&listing{traffic, 100}, Wish{From: from})
		if err == nil || !strings.Contains(err.Error(), "it ends at 100µs") {
			t.Errorf("from %v: %v", from, err)
		}
	}
}

// What is too long to be played is refused, and can be played with the flags that the refusal names.
func TestTooLongToPlay(t *testing.T) {
	const s = 1_000_000
	traffic := costly(0, 1, 200*s, 1, 210*s+1, 5, 215*s, 1, 500*s, 3)
	for name, c := range map[string]struct {
		wish  Wish
		lasts int64
		want  string
		then  Wish
		costs int64
	}{
		"a scenario": {Wish{}, 600 * s, "takes 10m to play, and 1m30s is the most; play a part of it: " +
			"--from 0s --for 1m30s", Wish{For: 90e9}, 1},
		"a trace": {Wish{}, 0, "takes 8m20s to play, and 1m30s is the most; play a part of it: " +
			"--from 0s --for 1m30s", Wish{For: 90e9}, 1},
		"from somewhere": {Wish{From: 300e9}, 600 * s, "takes 5m to play, and 1m30s is the most; play a part of " +
			"it: --from 5m --for 1m30s", Wish{From: 300e9, For: 90e9}, 0},
		"long for": {Wish{From: 210e9, For: 91e9}, 600 * s, "takes 1m31s to play, and 1m30s is the most; play " +
			"a part of it: --from 3m30s --for 1m30s", Wish{From: 210e9, For: 90e9}, 6},
	} {
		_, err := NewPart(&listing{traffic, c.lasts}, c.wish)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
		p, err := NewPart(&listing{traffic, c.lasts}, c.then)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var sum int64
		for _, q := range p.Requests {
			sum += q.Cost
		}
		if sum != c.costs {
			t.Errorf("%s: a cost of %d is played then; want %d", name, sum, c.costs)
		}
	}
}
