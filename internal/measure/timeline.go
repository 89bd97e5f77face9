package measure

import "time"

// timeline collects a Series. The rolling curve is exact: a key's sum rises only at an admission and falls in between.
// So its highest value within a bucket is either right after an admission or at the bucket's beginning. At each
// beginning, the highest sum of all keys is looked up once.
type timeline struct {
	axis     axis
	current  int // the current bucket of the run; earlier ones are complete
	admitted [maxBuckets]int64
	rolling  [maxBuckets]int64
	delay    [maxBuckets]int64
	offered  [maxBuckets]int64 // only of a Reference, which receives the requests of all rows
}

// moveTo moves the timeline to atUS, before any admission there.
func (l *timeline) moveTo(atUS int64, w *windows) {
	l.mergeBuckets(l.axis.reach(atUS))
	l.enter(l.axis.bucket(atUS), w)
}

// enter looks up the highest sum at the beginning of each bucket up to the last. Once all sums are zero they stay zero,
// which is the initial value of the buckets.
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

// admit adds cost to the current bucket. rolling is the key's sum after that.
func (l *timeline) admit(cost, rolling int64) {
	l.admitted[l.current] += cost
	l.rolling[l.current] = max(l.rolling[l.current], rolling)
}

// wait records a wait of us that begins now.
func (l *timeline) wait(us int64) {
	l.delay[l.current] = max(l.delay[l.current], us)
}

// complete moves the timeline to the end of the duration, or to the last instant if that is later. It returns the
// number of buckets up to there.
func (l *timeline) complete(duration time.Duration, w *windows) int {
	end := max(l.axis.lastUS, duration.Microseconds()-1)
	l.moveTo(end, w)
	return l.axis.bucket(end) + 1
}

// maxBuckets is about the most that a chart of 700 pixels can show.
const maxBuckets = 512

// axis divides time, from the scenario's start, into at most maxBuckets equal buckets [i·width, (i+1)·width). Two axes
// for the same duration that have seen the same instants are equal, whatever was decided.
type axis struct {
	widthUS int64
	lastUS  int64 // the latest instant seen
}

// unknownWidthUS is the first width of a run of unknown length. The buckets are merged in pairs as the run grows.
const unknownWidthUS = 1000

func newAxis(duration time.Duration) axis {
	if duration <= 0 {
		return axis{widthUS: unknownWidthUS}
	}
	return axis{widthUS: niceWidthUS(duration.Microseconds())}
}

// bucket returns the index of the bucket that contains atUS.
func (a *axis) bucket(atUS int64) int { return int(atUS / a.widthUS) }

// clockWidths continues 1, 2, 5, 10 … 500 ms with the usual parts of minutes, hours and days.
var clockWidths = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second,
	30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute,
	30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// niceWidthUS returns the smallest round width with which at most maxBuckets buckets cover the duration and the instant
// at its end. Neighbouring widths differ by a factor of 2.5 at most, so every duration of at least 200 µs has more than
// 200 buckets.
func niceWidthUS(durationUS int64) int64 {
	fits := func(widthUS int64) bool { return durationUS/widthUS < maxBuckets }
	for decade := int64(1); decade < time.Second.Microseconds(); decade *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if fits(digit * decade) {
				return digit * decade
			}
		}
	}
	for _, w := range clockWidths {
		if fits(w.Microseconds()) {
			return w.Microseconds()
		}
	}
	width := 24 * time.Hour.Microseconds()
	for !fits(width) {
		width *= 2
	}
	return width
}

// reach makes room for atUS. It returns how many times the buckets must be merged in pairs.
func (a *axis) reach(atUS int64) (merges int) {
	a.lastUS = max(a.lastUS, atUS)
	for a.bucket(atUS) >= maxBuckets {
		a.widthUS *= 2
		merges++
	}
	return merges
}

// merge joins the buckets of a full set of maxBuckets in pairs, with join.
func merge(buckets []int64, join func(a, b int64) int64) {
	for i := range maxBuckets / 2 {
		buckets[i] = join(buckets[2*i], buckets[2*i+1])
	}
	clear(buckets[maxBuckets/2:])
}

func plus(a, b int64) int64 { return a + b }

func larger(a, b int64) int64 { return max(a, b) }
