package clients

import (
	"context"
	"fmt"
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/waiting"
)

// Setup is who plays, and with what.
type Setup struct {
	Seed        uint64
	Groups      []Group // none: one client that gives up, whose clock is right
	ServerClock ServerClock
	Protocol    Protocol
	Server      Server

	MostAttempts int64           // of the whole run; more are a TooManyError. 0: DefaultAttempts
	Stop         <-chan struct{} // closed: end early
	Progress     func(operations int64)
}

// DefaultAttempts bounds a run whose scenario would let clients try for ever. Each attempt takes about 100 bytes.
const DefaultAttempts = 2_000_000

// Traffic is what the clients want done: operations, at the times of their first attempts.
type Traffic interface {
	Requests() iter.Seq2[limit.Request, error]
	// Duration is known beforehand, or after Requests is exhausted. The run ends there: nothing is sent from then on,
	// and nothing arrives, but for what begins and arrives at that very moment.
	Duration() (d time.Duration, known bool)
}

// Outcome is what happened.
type Outcome struct {
	Journal Journal
	Clients Summary
	Stopped bool // it ended early
}

// TooManyError is a run of more attempts than it may have.
type TooManyError struct{ Most int64 }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d attempts; give the groups of clients fewer attempts, a longer wait or a "+
		"backoff, or make the phases shorter", e.Most)
}

// Run plays the traffic; ctx is what the server is asked with. The error is the traffic's, the server's or a
// *TooManyError.
func Run(ctx context.Context, s Setup, t Traffic) (*Outcome, error) {
	r := newRun(s)
	err := r.read(ctx, t)
	if err == nil && !r.stopped {
		duration, _ := t.Duration()
		err = r.until(ctx, max(duration.Microseconds(), r.lastUS+1))
	}
	if err != nil {
		return nil, err
	}
	return &Outcome{Journal: r.ledger.journal(), Clients: summarize(r.groups, r.retries), Stopped: r.stopped}, nil
}

// run is a Setup at work.
type run struct {
	Setup
	clients []Client
	groups  []*groupState
	owner   map[*Group]*groupState

	queue   queue
	number  uint64 // of the next event
	ledger  ledger
	retries []int64 // when they arrived at the server
	clock   clockHand

	lastUS   int64 // when the last operation begins
	attempts int64
	stopped  bool
	free     []*operation
}

func newRun(s Setup) *run {
	if len(s.Groups) == 0 {
		s.Groups = []Group{{Name: "clients", Count: 1, OnReject: GiveUp}}
	}
	if s.MostAttempts == 0 {
		s.MostAttempts = DefaultAttempts
	}
	r := &run{Setup: s, owner: map[*Group]*groupState{}, clock: clockHand{steps: s.ServerClock}}
	r.clients, r.groups = people(s.Seed, s.Groups)
	for _, p := range r.groups {
		r.owner[p.Group] = p
	}
	return r
}

// stopEvery is how many operations pass between two looks at Stop.
const stopEvery = 1024

// read plays what happens while operations begin. Of what happens at one time, that comes first which was known first.
func (r *run) read(ctx context.Context, t Traffic) error {
	var count int64
	for q, err := range t.Requests() {
		if err != nil {
			return err
		}
		if err := r.until(ctx, q.AtUS); err != nil {
			return err
		}
		r.lastUS = q.AtUS
		r.push(event{atUS: q.AtUS, kind: begins, of: r.operation(q, &r.clients[count%int64(len(r.clients))])})
		if count++; count%stopEvery == 0 && r.pause(count) {
			return nil
		}
	}
	r.pause(count)
	return nil
}

// pause tells how far the run is, and reports whether it is to end.
func (r *run) pause(operations int64) bool {
	if r.Progress != nil {
		r.Progress(operations)
	}
	r.stopped = r.stopped || waiting.Closed(r.Stop)
	return r.stopped
}

// until plays all events before a time.
func (r *run) until(ctx context.Context, us int64) error {
	for n := 1; len(r.queue) > 0 && r.queue[0].atUS < us && !r.stopped; n++ {
		if err := r.play(ctx, r.queue.pop()); err != nil {
			return err
		}
		r.stopped = r.stopped || n%stopEvery == 0 && waiting.Closed(r.Stop)
	}
	return nil
}

// operation takes one off the heap of those that are over, or makes one.
func (r *run) operation(q limit.Request, c *Client) *operation {
	o := &operation{}
	if last := len(r.free) - 1; last >= 0 {
		o, r.free = r.free[last], r.free[:last]
	}
	p := r.owner[c.Group]
	p.tally.Operations++
	*o = operation{Request: q, client: c, group: p}
	return o
}

func (r *run) push(e event) {
	e.number = r.number
	r.number++
	r.queue.push(e)
}
