package traffic

import (
	"iter"
	"math/rand/v2"
	"time"
)

// Steps is a staircase: Start arrivals per unit of time at first, and Step more with every stair. Each stair is
// a constant rate that begins anew at the stair's start.
type Steps struct {
	Start, Step int64         // arrivals per Per
	Per         time.Duration // the unit of both
	Every       time.Duration // how long a stair is
}

// Times implements Arrivals.
func (s Steps) Times(d time.Duration, _ *rand.Rand) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for from := time.Duration(0); from < d; from += s.Every {
			to := min(from+s.Every, d)
			if !s.rate(from).evenly(from.Microseconds(), to.Microseconds(), yield) {
				return
			}
		}
	}
}

// Count implements Arrivals.
//
// It adds up the stairs; the scenario's loader allows so few of them that a closed form is not worth having.
func (s Steps) Count(d time.Duration) (n int64) {
	for from := time.Duration(0); from < d; from += s.Every {
		if n += s.rate(from).within(min(s.Every, d-from)); n < 0 || n > 1<<62 {
			return 1 << 62
		}
	}
	return n
}

// rate is that of the stair that begins at from.
func (s Steps) rate(from time.Duration) Rate {
	return Rate{Count: s.Start + int64(from/s.Every)*s.Step, Per: s.Per}
}
