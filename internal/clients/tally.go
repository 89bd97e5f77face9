package clients

import (
	"slices"

	"ratelab/internal/measure"
)

// tally counts the results of a group's operations. Each attempt of an operation is one request.
type tally struct {
	measure.ClientGroup
	cost  int64   // cost of the successful operations
	times []int64 // from an operation's first attempt to the reply that admitted it, in µs
}

// Outcome returns the results up to now. Operations in progress count as unfinished.
func (r *run) Outcome() *Outcome {
	o := &Outcome{Journal: r.ledger.journal(), Stopped: r.stopped}
	c := &o.Clients
	var times []int64
	for _, p := range r.groups {
		g := p.tally.ClientGroup
		g.Name, g.TimeToSuccessUS = p.Name, percentiles(p.tally.times)
		c.Groups = append(c.Groups, g)
		c.Operations += g.Operations
		c.Succeeded += g.Succeeded
		c.GaveUp += g.GaveUp
		c.Attempts += g.Attempts
		o.SucceededCost += p.tally.cost
		times = append(times, p.tally.times...)
	}
	c.TimeToSuccessUS = percentiles(times)
	c.Unfinished = c.Operations - c.Succeeded - c.GaveUp
	if c.Succeeded > 0 {
		each := float64(c.Attempts) / float64(c.Succeeded)
		c.Amplification = &each
	}
	var inStep int64
	if c.Lockstep, inStep = lockstep(r.retries); len(r.retries) > 0 {
		c.LockstepShare = float64(inStep) / float64(len(r.retries))
	}
	return o
}

// company is the number of other retries within a millisecond from which a retry is part of a crowd.
const company = 9

// lockstep finds crowds in times, which must be ascending. most is the largest number of times within (t−1ms, t].
// inStep counts the times that have at least company other times less than a millisecond away.
func lockstep(times []int64) (most, inStep int64) {
	first, last := 0, 0 // the times within a millisecond of times[i]
	for i, t := range times {
		for times[first] <= t-1000 {
			first++
		}
		for last+1 < len(times) && times[last+1] < t+1000 {
			last++
		}
		most = max(most, int64(i-first+1))
		if last-first >= company {
			inStep++
		}
	}
	return most, inStep
}

// percentiles sorts values and returns their percentiles, or nil if there are no values.
func percentiles(values []int64) *measure.Percentiles {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	// the nearest rank: the smallest value that is at least as large as p in 100 of the values
	at := func(p int) int64 { return values[(len(values)*p+99)/100-1] }
	return &measure.Percentiles{P50: at(50), P99: at(99), Max: at(100)}
}
