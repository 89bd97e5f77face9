package clients

import (
	"math"
	"math/rand/v2"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// Group is a number of clients with the same behaviour. The clients get a scenario's operations in turn: operation i,
// counted from 0, belongs to client i modulo the number of clients.
type Group struct {
	Name  string // unique among the groups; part of the seed of the group's random streams
	Count int64  // how many clients, at least 1

	OnReject OnReject
	Attempts int64   // the most attempts per operation; 0: no limit. GiveUp always makes one
	WaitUS   int64   // for Ignore, at least 1
	Jitter   Jitter  // for Obey: up to half of the wait more (EqualJitter), or as much again (FullJitter)
	Backoff  Backoff // for BackOff

	OffsetUS Range // the error of a client's clock at the start, drawn per client
	DriftPPM Range // the growth of this error in microseconds per second, drawn per client
	DelayUS  Range // the delay of a message in one direction, drawn per message

	// LocalFlag requests rows whose clients have a local flag. The Protocol LocalFlag implements it.
	LocalFlag bool
}

// Range is the range of integers from Min to Max, both included. Values are drawn uniformly.
type Range struct{ Min, Max int64 }

// draw draws a number of the range. It uses no randomness if there is only one number.
func (r Range) draw(random *rand.Rand) int64 {
	if r.Min == r.Max {
		return r.Min
	}
	return r.Min + random.Int64N(r.Max-r.Min+1)
}

// OnReject is the reaction of a client to a rejection.
type OnReject string

// The possible reactions.
const (
	GiveUp  OnReject = "give_up" // the operation has failed
	Obey    OnReject = "obey"    // retry after retry_after; give up if retry_after is Never
	Ignore  OnReject = "ignore"  // retry after a fixed time, whatever retry_after says
	AtOnce  OnReject = "at_once" // retry as soon as the reply arrives
	BackOff OnReject = "backoff" // retry after a time that grows with each rejection
)

// OnRejects are the reactions; the first is the default.
var OnRejects = []OnReject{GiveUp, Obey, Ignore, AtOnce, BackOff}

// Backoff is an exponential backoff. After the n-th rejection of an operation, the client waits d = min(MaxUS, BaseUS ·
// Factor^(n−1)). With jitter, it waits a part of d.
type Backoff struct {
	BaseUS, MaxUS int64
	Factor        float64 // at least 1
	Jitter        Jitter
}

// Jitter selects how the waiting times of a Backoff are spread. So clients that were rejected together do not return
// together. Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
type Jitter string

// The kinds of jitter. Draws are uniform in whole microseconds.
const (
	NoJitter    Jitter = "none"  // d
	EqualJitter Jitter = "equal" // d/2 and a draw from [0, d/2]
	FullJitter  Jitter = "full"  // a draw from [0, d]
)

// Jitters are the kinds of jitter. The first is the default.
var Jitters = []Jitter{NoJitter, EqualJitter, FullJitter}

// groupState has a group's random streams and the counts of its operations. Each group has its own streams, so that its
// draws do not depend on other groups.
type groupState struct {
	*Group
	there, back *rand.Rand // delays of messages and of replies
	jitter      *rand.Rand

	tally tally
}

// people returns the clients of all groups, in the order in which they get operations, and the states of the groups.
func people(seed uint64, groups []Group) (clients []Client, states []*groupState) {
	for i := range groups {
		g := &groups[i]
		stream := func(purpose string) *rand.Rand { return traffic.Random(seed, g.Name, "clients: "+purpose) }
		state := &groupState{Group: g, there: stream("delay"), back: stream("delay of replies"),
			jitter: stream("jitter")}
		states = append(states, state)
		offsets, drifts := stream("offset"), stream("drift")
		for range g.Count {
			clients = append(clients, Client{
				Number: int64(len(clients)), Group: g, state: state,
				offsetUS: g.OffsetUS.draw(offsets), driftPPM: g.DriftPPM.draw(drifts),
			})
		}
	}
	return clients, states
}

// wait returns how long the client waits after a rejected attempt. ok is false if the client gives up.
func (o *operation) wait(d limit.Decision) (us int64, ok bool) {
	p := o.group
	if p.OnReject == GiveUp || p.Attempts > 0 && o.attempts >= p.Attempts ||
		p.OnReject == Obey && d.RetryAfterUS == limit.Never {
		return 0, false
	}
	switch p.OnReject {
	case Obey:
		us = d.RetryAfterUS + o.later(d.RetryAfterUS)
	case Ignore:
		us = p.WaitUS
	case BackOff:
		us = o.backoff()
	}
	return max(us, 1), true // time must pass between two attempts
}

// later returns what the jitter of the reaction Obey adds to a wait. It is never less than 0, because a request before
// the told time would be rejected again.
func (o *operation) later(us int64) int64 {
	switch {
	case us > math.MaxInt64/2:
	case o.group.Jitter == EqualJitter:
		return o.group.jitter.Int64N(us/2 + 1)
	case o.group.Jitter == FullJitter:
		return o.group.jitter.Int64N(us + 1)
	}
	return 0
}

// backoff returns the next wait of the reaction BackOff.
func (o *operation) backoff() int64 {
	b := o.group.Backoff
	if o.backoffUS == 0 {
		o.backoffUS = float64(b.BaseUS)
	}
	d := min(int64(o.backoffUS), b.MaxUS)
	o.backoffUS = min(o.backoffUS*b.Factor, float64(b.MaxUS))
	switch b.Jitter {
	case EqualJitter:
		return d/2 + o.group.jitter.Int64N(d-d/2+1)
	case FullJitter:
		return o.group.jitter.Int64N(d + 1)
	}
	return d
}
