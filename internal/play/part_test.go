package play_test

import (
	"iter"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/play"
)

// listed is traffic of so many µs, or of an unknown length where that is 0.
type listed struct {
	requests []limit.Request
	lastsUS  int64
}

func (l *listed) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range l.requests {
			if !yield(q, nil) {
				return
			}
		}
	}
}

func (l *listed) Duration() (time.Duration, bool) {
	return time.Duration(l.lastsUS) * time.Microsecond, l.lastsUS > 0
}

// costs are requests at these instants, in µs, with these costs.
func costs(pairs ...int64) []limit.Request {
	var all []limit.Request
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, limit.Request{AtUS: pairs[i], Key: "k", Cost: pairs[i+1]})
	}
	return all
}

func TestWhatIsPlayed(t *testing.T) {
	const us = time.Microsecond
	at := func(d time.Duration) *time.Duration { return &d }
	traffic := costs(0, 1, 10, 1, 20, 5, 25, 1, 40, 3, 45, 3, 100, 1)
	for name, c := range map[string]struct {
		wish        play.Wish
		lasts       int64
		from, until time.Duration
		requests    int
	}{
		"all":                        {play.Wish{Whole: true}, 100, 0, 100, 7}, // the last instant belongs to it
		"shorter than the default":   {play.Wish{}, 100, 0, 100, 7},
		"a trace":                    {play.Wish{Whole: true}, 0, 0, 100, 7},
		"the most of a cost":         {play.Wish{For: 10 * us}, 100, 20, 30, 2},                    // 6
		"the most, longer":           {play.Wish{For: 26 * us}, 100, 20, 46, 4},                    // 12
		"from somewhere":             {play.Wish{From: at(20 * us), For: 20 * us}, 100, 20, 40, 2}, // the end does not
		"from somewhere on":          {play.Wish{From: at(25 * us)}, 100, 25, 100, 4},
		"longer than there is":       {play.Wish{From: at(41 * us), For: time.Hour}, 100, 41, 100, 2},
		"the busiest of a trace":     {play.Wish{For: 10 * us}, 0, 20, 30, 2},
		"nothing in it, but allowed": {play.Wish{From: at(50 * us), For: 10 * us}, 100, 50, 60, 0},
	} {
		p, err := play.NewPart(&listed{traffic, c.lasts}, c.wish)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.From != c.from*us || p.Until != c.until*us || len(p.Requests) != c.requests {
			t.Errorf("%s: %v with %d requests; want %v to %v with %d", name, p.Stretch, len(p.Requests), c.from*us,
				c.until*us, c.requests)
		}
		before, all := 0, 0
		for range p.Before() {
			before++
		}
		for range p.UpToHere().Requests() {
			all++
		}
		if all != before+len(p.Requests) {
			t.Errorf("%s: %d requests until its end, %d before it and %d in it", name, all, before, len(p.Requests))
		}
	}
	p, err := play.NewPart(&listed{costs(0, 1, 95, 9), 100}, play.Wish{For: 10 * us})
	if err != nil || p.From != 90*us || p.Until != 100*us || len(p.Requests) != 1 {
		t.Errorf("the most at the end: %+v, %v", p, err)
	}
	for _, from := range []time.Duration{100 * us, time.Hour} {
		_, err := play.NewPart(&listed{traffic, 100}, play.Wish{From: &from})
		if err == nil || !strings.Contains(err.Error(), "it ends at 100µs") {
			t.Errorf("from %v: %v", from, err)
		}
	}
}
