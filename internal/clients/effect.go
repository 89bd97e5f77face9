package clients

import (
	"iter"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// CompareClocks compares a run with wrong clocks (off) and a run with correct clocks (right).
func CompareClocks(off, right Journal, p limit.Policy, clock ServerClock, endUS int64) *measure.ClockEffect {
	e := &measure.ClockEffect{PeakWithRightClocks: peak(right, p), LockoutUS: lockout(off, right, endUS)}
	type window struct { // a window of one key, numbered from the scenario's start
		key    string
		number int64
	}
	windowUS := p.WindowUS()
	more := map[window]int64{} // admitted by off minus admitted by right
	add := func(j Journal, sign int64) {
		for i, q := range j.Requests {
			if j.Decisions[i].Allowed() {
				more[window{q.Key, q.AtUS / windowUS}] += sign * q.Cost
			}
		}
	}
	add(off, 1)
	add(right, -1)
	lastUS := int64(0) // the end of the last window in which the runs differ
	for w, difference := range more {
		e.ExtraAdmitted += max(0, difference)
		e.MissingAdmitted += max(0, -difference)
		if difference != 0 {
			lastUS = max(lastUS, min((w.number+1)*windowUS, endUS))
		}
	}
	if len(clock) > 0 {
		e.RecoveryUS = max(0, lastUS-clock[len(clock)-1].AtUS)
	}
	return e
}

// peak returns the largest cost that was admitted for one key in any window.
func peak(j Journal, p limit.Policy) int64 {
	m, keys := measure.NewMeter(p, 0), measure.NewKeySet()
	for i, q := range j.Requests {
		m.Observe(q, keys.Add(q.Key), j.Decisions[i])
	}
	r, err := m.Result(0, nil, nil)
	if err != nil {
		panic(err) // cannot fail, because the same meter has measured the journal before
	}
	return r.Peak
}

// lockout returns the longest time in which a key is not admitted, although it is admitted with correct clocks. A time
// counts only if the key never waits as long with correct clocks. Such times also begin at the run's start and end at
// the run's end.
func lockout(off, right Journal, endUS int64) int64 {
	admitted, wanted := admissionTimes(off), admissionTimes(right)
	var longest int64
	for key, times := range wanted {
		usual := int64(0)
		for from, until := range gaps(times, endUS) {
			usual = max(usual, until-max(from, 0))
		}
		for from, until := range gaps(admitted[key], endUS) {
			next, _ := slices.BinarySearch(times, from+1)
			missed := next < len(times) && times[next] < until
			if waited := until - max(from, 0); missed && waited > usual {
				longest = max(longest, waited)
			}
		}
	}
	return longest
}

// gaps yields the intervals between the start, the times and the end. The start is -1, so that the time 0 lies after
// it.
func gaps(times []int64, endUS int64) iter.Seq2[int64, int64] {
	return func(yield func(from, until int64) bool) {
		from := int64(-1)
		for _, at := range times {
			if !yield(from, at) {
				return
			}
			from = at
		}
		yield(from, endUS)
	}
}

// admissionTimes returns the times at which each key was admitted, in ascending order.
func admissionTimes(j Journal) map[string][]int64 {
	all := map[string][]int64{}
	for i, q := range j.Requests {
		if j.Decisions[i].Allowed() {
			all[q.Key] = append(all[q.Key], q.AtUS)
		}
	}
	return all
}
