package measure

import "time"

// timeline collects a Series. The rolling curve is exact: the sum of a key rises only where something is
// admitted and falls in between, so its highest value within a bucket stands either right after an admission or
// at the bucket's beginning. There the highest key is looked up, once for each bucket.
type timeline struct {
	axis     axis
	current  int // the bucket that the run is in; those before are complete
	admitted [maxBuckets]int64
	rolling  [maxBuckets]int64
	delay    [maxBuckets]int64
	offered  [maxBuckets]int64 // of a Reference alone, which sees the requests of all rows
}

// moveTo brings the timeline to atUS, before anything is admitted there.
func (l *timeline) moveTo(atUS int64, w *windows) {
	l.mergeBuckets(l.axis.reach(atUS))
	l.enter(l.axis.bucket(atUS), w)
}

// enter looks up the highest key at the beginning of each bucket up to the last. Once all are at zero, which is
// how the buckets start, they stay there.
func (l *timeline) enter(last int, w *windows) {
	for l.current < last {
		l.current++
		highest := w.highest(int64(l.current) * l.axis.widthUS)
		if highest == 0 {
			l.current = last
			return
		}
		l.rolling[l.current] = highest
	}
}

func (l *timeline) mergeBuckets(times int) {
	for range times {
		merge(l.admitted[:], plus)
		merge(l.rolling[:], larger)
		merge(l.delay[:], larger)
		merge(l.offered[:], plus)
		l.current /= 2
	}
}

// admit counts cost in the current bucket, where the key's sum is now rolling.
func (l *timeline) admit(cost, rolling int64) {
	l.admitted[l.current] += cost
	l.rolling[l.current] = max(l.rolling[l.current], rolling)
}

// wait notes that something waits for so long from now on.
func (l *timeline) wait(us int64) {
	l.delay[l.current] = max(l.delay[l.current], us)
}

// complete enters every bucket of the duration and of every instant seen, and gives their number.
func (l *timeline) complete(duration time.Duration, w *windows) int {
	end := max(l.axis.lastUS, duration.Microseconds()-1)
	l.moveTo(end, w)
	return l.axis.bucket(end) + 1
}
