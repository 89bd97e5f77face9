package algorithms

import (
	"slices"

	"ratelab/internal/limit"
)

var _ = register(Algorithm{
	Name:    "sliding-window-buckets",
	Family:  "window",
	Place:   4,
	Short:   "buckets\n/10",
	InWords: "a sliding window of ten parts",
	Colour:  "#114499", // deep blue
	State:   "a hash of n + 1 counters, one for each aligned sub-window, under its end; and the window",
	Rule:    "the sum of the sub-windows that touch (t − W, t] stays at most L",
	Bound:   "N(τ) ≤ L for every τ < W; stricter than the log, by up to one sub-window W/n",
	Sources: []string{
		"https://www.figma.com/blog/an-alternative-approach-to-rate-limiting/",
	},
	Parameters: withClock(
		Parameter{Name: "parts", Kind: Integer, Low: 1, High: maxParts, Default: "10",
			Doc: "n, how many parts a window is split into", Role: Parts}),
	Traits:  Traits{Grid: true},
	Keeping: func(limit.Policy, int64) []string { return []string{"", "parts=60"} },
	Second: Second{Setting: 1, Short: "buckets\n/60",
		Words: "buckets/10 and buckets/60: sliding-window-buckets with 10 or 60 parts."},
	Prepare: func(p limit.Policy, v Values) (Rule, error) {
		c := v.clock()
		n := v.Integer("parts", 10)
		if err := exactProduct("window_us * parts", p.WindowUS(), n, 0, "choose fewer parts"); err != nil {
			return Rule{}, err
		}
		return c.limiter(decimal(p.Requests, p.WindowUS(), n), covering(p.Requests, p.WindowUS()),
			newModel[subwindows](c, &slidingBuckets{p.Requests, p.WindowUS(), n})), nil
	},
})

// maxParts keeps a script's HGETALL short. With it, a sub-window of the shortest window still lasts 1 µs.
const maxParts = 1000

// slidingBuckets has a list of counters for each key.
type slidingBuckets struct{ limit, windowUS, n int64 }

// subwindows are one key's counters in the order of their ends, and the window of the last counted request.
type subwindows struct {
	life
	counters []subwindow
	windowUS int64
}

type subwindow struct{ endUS, count int64 }

func (b *subwindows) unshare() { b.counters = slices.Clone(b.counters) }

// end returns the end of the sub-window around atUS. A window has n sub-windows.
func (s *slidingBuckets) end(atUS int64) int64 {
	begin := beginOf(atUS, s.windowUS)
	return begin + ceilDiv(((atUS-begin)*s.n/s.windowUS+1)*s.windowUS, s.n)
}

// decide adds up the sub-windows that touch the last window.
func (s *slidingBuckets) decide(at *moment, b *subwindows, cost int64) limit.Decision {
	current := s.end(at.nowUS)
	latest := current + at.clock.marginUS()
	live := b.counters
	for len(live) > 0 && live[0].endUS <= at.nowUS-s.windowUS {
		live = live[1:]
	}
	var held, moved int64 // moved: the cost in sub-windows that end later than the current one
	for len(live) > 0 && live[len(live)-1].endUS > latest {
		moved += live[len(live)-1].count
		live = live[:len(live)-1]
	}
	for _, c := range live {
		held += c.count
		current = max(current, c.endUS)
	}
	if moved > 0 {
		live = b.add(at, live, current, moved, s.windowUS)
	}
	if held += moved; held+cost <= s.limit {
		b.add(at, live, current, cost, s.windowUS)
		return limit.Decision{Verdict: limit.Allowed, Remaining: s.limit - held - cost,
			ResetAfterUS: current + s.windowUS - at.nowUS}
	}
	d := limit.Decision{Remaining: max(0, s.limit-held), RetryAfterUS: limit.Never}
	surplus := held + cost - s.limit
	for _, c := range live {
		d.ResetAfterUS = c.endUS + s.windowUS - at.nowUS
		if surplus > 0 && cost <= s.limit {
			d.RetryAfterUS = d.ResetAfterUS
		}
		surplus -= c.count
	}
	return d
}

// add keeps only the counters in live, and adds tokens to the sub-window that ends at endUS, the last one. If the
// sub-window is new, or the window has changed, the key lives until the sub-window leaves the window.
func (b *subwindows) add(at *moment, live []subwindow, endUS, tokens, windowUS int64) []subwindow {
	n := copy(b.counters, live)
	b.counters = b.counters[:n]
	opens := n == 0 || b.counters[n-1].endUS < endUS
	if opens {
		b.counters = append(b.counters, subwindow{endUS: endUS})
		n++
	}
	if opens || b.windowUS != windowUS {
		b.windowUS = windowUS
		b.lastMS = at.afterUS(endUS + windowUS - at.nowUS)
	}
	b.counters[n-1].count += tokens
	return b.counters
}
