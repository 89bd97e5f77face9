package tune

import (
	"cmp"
	"slices"
	"time"

	"ratelab/internal/limit"
)

// grid is which windows and rates are looked at.
type grid struct {
	lengths []time.Duration
	rates   []limit.Policy // ascending, without a burst
}

// lengths are those of the windows that are looked at, where the fitted part is as long.
var lengths = []time.Duration{time.Second, 10 * time.Second, time.Minute, time.Hour}

// mostRates is how many rates are looked at, besides that of the present setting.
const mostRates = 50

// newGrid chooses windows that the fitted part can fill, and rates from what the busiest key asks for in its busiest
// second downwards, as people write them. The present setting's, which may be none, are among them.
func newGrid(c *census, present *limit.Policy) *grid {
	g := &grid{}
	for _, w := range lengths {
		if w == time.Second || w.Microseconds() <= c.spans[fitted] {
			g.lengths = append(g.lengths, w)
		}
	}
	for p := range downFrom(c.busiest) {
		if g.rates = append(g.rates, p); len(g.rates) == mostRates {
			break
		}
	}
	if present != nil {
		p := *present
		p.Burst, p.Contract = 0, limit.ByWindow
		if !slices.Contains(g.lengths, p.Window) {
			g.lengths = append(g.lengths, p.Window)
		}
		if !slices.Contains(g.rates, p) {
			g.rates = append(g.rates, p)
		}
	}
	slices.Sort(g.lengths)
	slices.SortStableFunc(g.rates, slower)
	return g
}

// slower compares rates.
func slower(a, b limit.Policy) int {
	return cmp.Compare(float64(a.Requests)/float64(a.Window), float64(b.Requests)/float64(b.Window))
}

// digits are those of numbers that people choose.
var digits = []int64{8, 6, 5, 4, 3, 2}

// downFrom are rates that people choose, from the first that brings so much in a second: whole numbers a second, below
// these whole numbers a minute, and then an hour.
func downFrom(perSecond int64) func(yield func(limit.Policy) bool) {
	return func(yield func(limit.Policy) bool) {
		for _, unit := range []struct {
			window time.Duration
			below  int64
		}{{time.Second, limit.MaxRequests}, {time.Minute, 51}, {time.Hour, 51}} {
			for n := range roundDown(min(max(perSecond, 1), unit.below-1)) {
				if !yield(limit.Policy{Requests: n, Window: unit.window}) {
					return
				}
			}
			perSecond = limit.MaxRequests
		}
	}
}

// roundDown are the numbers that people choose, descending: 1, 1.5, 2, 3, 4, 5, 6 and 8 of each power of ten that are
// whole. The first is the smallest that reaches most.
func roundDown(most int64) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		top := roundUp(most)
		unit := int64(1)
		for unit*10 <= top {
			unit *= 10
		}
		for ; unit >= 1; unit /= 10 {
			numbers := []int64{}
			for _, digit := range digits {
				numbers = append(numbers, digit*unit)
			}
			if unit >= 10 {
				numbers = append(numbers, unit/10*15)
			}
			for _, n := range append(numbers, unit) {
				if n <= top && !yield(n) {
					return
				}
			}
		}
	}
}

// roundUp is the smallest number that people choose and that reaches n.
func roundUp(n int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, tenths := range []int64{10, 15, 20, 30, 40, 50, 60, 80, 100} {
			if tenths*unit%10 == 0 && tenths*unit/10 >= n {
				return tenths * unit / 10
			}
		}
	}
}
