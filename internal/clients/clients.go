package clients

import (
	"math/rand/v2"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// groupState is a group at work: its random streams, and how its operations fare. The streams are the group's own, so
// that what others do moves none of its draws.
type groupState struct {
	*Group
	there, back *rand.Rand // delays of messages and of replies
	jitter      *rand.Rand

	tally         Tally
	succeededCost int64
}

// operation is something that a client wants done, until it is done or given up.
type operation struct {
	limit.Request // AtUS: when its first attempt begins
	client        *Client
	group         *groupState
	attempts      int64
	backoffUS     float64 // the next wait, without jitter

	// Of the attempt that is under way.
	exchange Exchange
	message  any
	deciding bool
	reply    any
	sent     bool  // a message has left
	clientUS int64 // what the client's clock showed when the message left
	place    int   // in the ledger; -1: none yet
}

// people makes the clients of all groups, in the order in which operations go round.
func people(seed uint64, groups []Group) ([]Client, []*groupState) {
	var clients []Client
	var states []*groupState
	for i := range groups {
		g := &groups[i]
		stream := func(purpose string) *rand.Rand { return traffic.Random(seed, g.Name, "clients: "+purpose) }
		states = append(states, &groupState{Group: g, there: stream("delay"), back: stream("delay of replies"),
			jitter: stream("jitter")})
		offsets, drifts := stream("offset"), stream("drift")
		for range g.Count {
			clients = append(clients, Client{
				Number: int64(len(clients)), Group: g,
				offsetUS: g.OffsetUS.draw(offsets), driftPPM: g.DriftPPM.draw(drifts),
			})
		}
	}
	return clients, states
}

func (r Range) draw(random *rand.Rand) int64 {
	if r.fixed() {
		return r.Min
	}
	return r.Min + random.Int64N(r.Max-r.Min+1)
}

// wait is how long the client waits after its attempt was rejected; no more attempts: ok is false.
func (o *operation) wait(d limit.Decision) (us int64, ok bool) {
	p := o.group
	if p.OnReject == GiveUp || p.Attempts > 0 && o.attempts >= p.Attempts {
		return 0, false
	}
	switch p.OnReject {
	case Obey:
		us, ok = d.RetryAfterUS, d.RetryAfterUS != limit.Never
	case Ignore:
		us, ok = p.WaitUS, true
	case AtOnce:
		us, ok = 0, true
	case BackOff:
		us, ok = o.backoff(), true
	}
	return max(us, 1), ok // time passes between two attempts
}

// backoff is the next wait of the exponential kind.
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
