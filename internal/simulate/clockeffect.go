package simulate

import (
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/world"
)

// clockEffect is what clocks that are off did to a row.
type clockEffect = report.ClockEffect

// clockEffect plays the lane's row once more with clocks that are right, and compares. It is nil where they are right
// already, where no model could decide again, and where somebody ended the job.
func (j *Job) clockEffect(p *planned, l *lane) (*clockEffect, error) {
	if l.world.model == nil || l.world.flag != nil || !clocksOff(p.scenario.Clients, p.scenario.ServerClock) || l.world.played.Stopped {
		return nil, nil
	}
	setup := j.setup(p, l.world.protocol, world.NewLimiter(l.candidate.NewModel(), p.scenario.Start))
	setup.Groups, setup.ServerClock = rightClocks(setup.Groups), nil
	right, err := world.Run(setup, p.stream)
	if err != nil {
		return nil, playError(p, l, err)
	}
	if right.Stopped {
		return nil, nil
	}
	duration, _ := p.stream.Duration()
	return compareClocks(l.world.played.Journal, right.Journal, p.policy, p.scenario.ServerClock, duration.Microseconds()), nil
}

// clocksOff reports whether any clock is wrong at any time.
func clocksOff(groups []world.Group, clock world.ServerClock) bool {
	return len(clock) > 0 || slices.ContainsFunc(groups, func(g world.Group) bool {
		return g.OffsetUS != world.Range{} || g.DriftPPM != world.Range{}
	})
}

func rightClocks(groups []world.Group) []world.Group {
	right := slices.Clone(groups)
	for i := range right {
		right[i].OffsetUS, right[i].DriftPPM = world.Range{}, world.Range{}
	}
	return right
}

// compareClocks compares what was decided by clocks that are off and by clocks that are right, until the end. The
// decisions are compared one by one only where both saw the same requests.
func compareClocks(off, right world.Journal, p limit.Policy, clock world.ServerClock, endUS int64) *clockEffect {
	e := &clockEffect{PeakWithRightClocks: peak(right, p), LockoutUS: lockout(off, right, endUS)}
	e.SameTraffic = slices.EqualFunc(off.Requests, right.Requests, func(a, b limit.Request) bool {
		return a.AtUS == b.AtUS && a.Cost == b.Cost && a.Key == b.Key
	})
	if !e.SameTraffic {
		return e
	}
	lastUS := int64(-1) // the last decision that differs
	for i := range off.Requests {
		switch got, want := off.Decisions[i].Allowed(), right.Decisions[i].Allowed(); {
		case got && !want:
			e.ExtraAdmits++
			lastUS = off.Requests[i].AtUS
		case want && !got:
			e.ExtraRejects++
			lastUS = off.Requests[i].AtUS
		}
	}
	if len(clock) > 0 {
		e.RecoveryUS = max(0, lastUS-clock[len(clock)-1].AtUS)
	}
	return e
}

// peak is the most that the journal admits for one key in any window.
func peak(j world.Journal, p limit.Policy) int64 {
	m := measure.NewMeter(p, 0)
	for i, q := range j.Requests {
		m.Observe(q, j.Decisions[i], true)
	}
	r, err := m.Result(0, 0)
	if err != nil {
		panic(err) // the journal has been measured before, with the same meter
	}
	return r.PeakWindowAdmitted
}

// lockout is the longest time between two admissions of a key, or between one and the beginning or the end, in which
// right clocks admitted it more than once.
func lockout(off, right world.Journal, endUS int64) int64 {
	admitted, wanted := admissionTimes(off), admissionTimes(right)
	var longest int64
	for key, times := range wanted {
		from := int64(-1)
		for _, until := range append(slices.Clone(admitted[key]), endUS+1) {
			first, _ := slices.BinarySearch(times, from+1)
			beyond, _ := slices.BinarySearch(times, until)
			if beyond-first > 1 {
				longest = max(longest, min(until, endUS)-max(from, 0))
			}
			from = until
		}
	}
	return longest
}

// admissionTimes are those at which each key was admitted, ascending.
func admissionTimes(j world.Journal) map[string][]int64 {
	all := map[string][]int64{}
	for i, q := range j.Requests {
		if j.Decisions[i].Allowed() {
			all[q.Key] = append(all[q.Key], q.AtUS)
		}
	}
	return all
}
