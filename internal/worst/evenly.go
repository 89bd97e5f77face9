package worst

import "math/bits"

// evenRun is how many of the instants at the beginning of all are alike and evenly spread, so that the k-th lies
// exactly ⌊k·spanUS/n⌋ after the first. A single instant spans nothing.
//
// It follows the slopes that are still possible, as digital geometry recognises a straight line: the k-th instant, y
// after the first, allows those from y/k to below (y+1)/k.

func evenRun(all []admission) (n int, spanUS int64) {
	first := all[0]
	low, high := fraction{0, 1}, fraction{1 << 62, 1}
	n, spanUS = 1, 0
	for k := 1; k < len(all) && all[k].cost == first.cost && all[k].count == first.count; k++ {
		y := all[k].atUS - first.atUS
		low = larger(low, fraction{y, int64(k)})
		high = smaller(high, fraction{y + 1, int64(k)})
		if !low.less(high) {
			break
		}
		next := roomUntil(all, k)
		if span, ok := evenSpan(low, high, int64(k+1), first.count, y, next-first.atUS); ok {
			n, spanUS = k+1, span
		}
	}
	if n == 2 { // no pattern yet: two instants are two bursts
		return 1, 0
	}
	return n, spanUS
}

// roomUntil is the time of the instant after the k-th: a run may last so long.
func roomUntil(all []admission, k int) int64 {
	if k+1 < len(all) {
		return all[k+1].atUS
	}
	return 1 << 62
}

// evenSpan is the roundest whole span for n instants whose slope lies from low to below high, and which ends by latest.
// Bursts of several requests repeat after a whole number of µs.
func evenSpan(low, high fraction, n, size, last, latest int64) (spanUS int64, ok bool) {
	from := max(low.ceilTimes(n), last+1)
	to := min(high.ceilTimes(n)-1, latest)
	if size > 1 {
		from, to = (from+n-1)/n, to/n
	}
	if from > to {
		return 0, false
	}
	span := roundest(from, to)
	if size > 1 {
		span *= n
	}
	return span, true
}

// roundest is the number from low to high with the fewest digits before its zeros; of several, the smallest.
func roundest(low, high int64) int64 {
	for unit := int64(1e18); unit > 1; unit /= 10 {
		if n := (low + unit - 1) / unit * unit; n >= low && n <= high {
			return n
		}
	}
	return low
}

// fraction is a/b; b is positive.
type fraction struct{ a, b int64 }

func (f fraction) less(g fraction) bool {
	fHigh, fLow := bits.Mul64(uint64(f.a), uint64(g.b))
	gHigh, gLow := bits.Mul64(uint64(g.a), uint64(f.b))
	return fHigh < gHigh || fHigh == gHigh && fLow < gLow
}

// ceilTimes is ⌈n·a/b⌉, or 2^62 where that is less.
func (f fraction) ceilTimes(n int64) int64 {
	high, low := bits.Mul64(uint64(f.a), uint64(n))
	if high >= uint64(f.b) {
		return 1 << 62
	}
	q, rest := bits.Div64(high, low, uint64(f.b))
	if rest > 0 {
		q++
	}
	return int64(min(q, 1<<62))
}

func larger(f, g fraction) fraction {
	if f.less(g) {
		return g
	}
	return f
}

func smaller(f, g fraction) fraction {
	if g.less(f) {
		return g
	}
	return f
}

// floorTimes is ⌊n·a/b⌋, or 2^62 where that is less.
func (f fraction) floorTimes(n int64) int64 {
	high, low := bits.Mul64(uint64(f.a), uint64(n))
	if high >= uint64(f.b) {
		return 1 << 62
	}
	q, _ := bits.Div64(high, low, uint64(f.b))
	return int64(min(q, 1<<62))
}
