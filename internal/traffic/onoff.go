package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// OnOff is a square wave: a constant rate for On, nobody for Off, and again; on first.
type OnOff struct {
	Rate    Rate
	On, Off time.Duration // whole microseconds, On at least 1 µs
}

// Times implements Arrivals.
func (o OnOff) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for from := time.Duration(0); from < d; from += o.On + o.Off {
			to := min(from+o.On, d)
			if !o.Rate.evenly(from.Microseconds(), to.Microseconds(), yield) {
				return
			}
		}
	}
}

// Count implements Arrivals.
func (o OnOff) Count(d time.Duration) int64 {
	whole, rest := int64(d/(o.On+o.Off)), d%(o.On+o.Off)
	each := o.Rate.within(o.On)
	if each > 0 && whole > 1<<61/each {
		return 1 << 62
	}
	return whole*each + o.Rate.within(min(rest, o.On))
}
