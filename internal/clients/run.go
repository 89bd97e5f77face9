// Package clients simulates clients that react to decisions, event by event in virtual time. Messages take time, clocks
// may be wrong, and a rejected client gives up, waits or retries. So requests depend on earlier decisions.
//
// The package depends neither on algorithms nor on Redis: a Replier replies to messages, and a Protocol turns replies
// into a decision. It measures the clients' success. It also keeps a journal, from which other packages measure what
// was admitted.
package clients

import (
	"container/heap"
	"context"
	"errors"
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// Setup configures a run: the clients, their clocks, and the server.
type Setup struct {
	Seed        uint64
	Groups      []Group // empty: one client that gives up, with a correct clock
	ServerClock ServerClock
	Protocol    Protocol
	Server      Replier

	MostAttempts int64 // of the whole run; more are a TooManyError. 0: DefaultAttempts
	Progress     func(operations int64)
}

// DefaultAttempts ends a run whose clients would retry forever. Each attempt takes about 100 bytes.
const DefaultAttempts = 2_000_000

// Outcome is the result of a run.
type Outcome struct {
	Journal       Journal
	Clients       measure.Clients // without goodput and the checks of retry_after
	SucceededCost int64           // cost of the successful operations
	Stopped       bool            // the run ended early
}

// TooManyError reports a run with more attempts than allowed.
type TooManyError struct{ Most int64 }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("more than %d attempts; give the groups of clients fewer attempts, a longer wait or a "+
		"backoff, or make the phases shorter", e.Most)
}

// Run plays the traffic. Its requests are the clients' operations, at the times of their first attempts. The run ends
// with the traffic. Later messages are neither sent nor received. If the last operation begins at the end, its instant
// still belongs to the run. It ends early if ctx ends. The server gets a context that does not end with ctx. The error
// is the traffic's, the server's or a *TooManyError.
func Run(ctx context.Context, s Setup, t *traffic.Stream) (*Outcome, error) {
	r := newRun(s)
	playing := ctx
	ctx = context.WithoutCancel(ctx)
	for q, err := range t.Requests() {
		if err == nil {
			err = r.add(ctx, q)
		}
		if err != nil {
			return nil, err
		}
		if r.count%tellEvery == 0 && r.pause(playing) {
			break
		}
	}
	if !r.pause(playing) {
		duration, _ := t.Duration()
		if err := r.until(ctx, max(duration.Microseconds(), r.lastUS+1)); err != nil {
			return nil, err
		}
	}
	return r.Outcome(), nil
}

// tellEvery is the number of operations between two calls of Progress.
const tellEvery = 1024

// run is the state of one run.
type run struct {
	Setup
	clients []Client
	groups  []*groupState

	events   events
	free     []*operation // finished operations, for reuse
	made     uint64       // the number of events that were created
	ledger   ledger
	retries  []int64 // when retries arrived at the server
	attempts int64

	count   int64 // operations that have begun
	lastUS  int64 // when the last operation began
	stopped bool

	// If deliver is not nil, it takes each message instead of the Server, and the reply comes later.
	deliver func(*operation, limit.Request)
}

func newRun(s Setup) *run {
	if len(s.Groups) == 0 {
		s.Groups = []Group{{Name: "clients", Count: 1, OnReject: GiveUp}}
	}
	if s.MostAttempts == 0 {
		s.MostAttempts = DefaultAttempts
	}
	r := &run{Setup: s}
	r.clients, r.groups = people(s.Seed, s.Groups)
	return r
}

// add plays all events before an operation begins, and then begins the operation. Events at the same time happen in the
// order of their creation.
func (r *run) add(ctx context.Context, q limit.Request) error {
	if err := r.until(ctx, q.AtUS); err != nil {
		return err
	}
	c := &r.clients[r.count%int64(len(r.clients))]
	if len(r.free) == 0 {
		r.free = append(r.free, &operation{})
	}
	last := len(r.free) - 1
	o := r.free[last]
	r.free = r.free[:last]
	*o = operation{Request: q, client: c, group: c.state, dueUS: q.AtUS, step: begins}
	o.group.tally.Operations++
	r.count++
	r.lastUS = q.AtUS
	r.push(o)
	return nil
}

// pause calls Progress, and reports whether the run must end.
func (r *run) pause(ctx context.Context) bool {
	if r.Progress != nil {
		r.Progress(r.count)
	}
	r.stopped = r.stopped || ctx.Err() != nil
	return r.stopped
}

// until plays all events before the given time.
func (r *run) until(ctx context.Context, us int64) error {
	for len(r.events) > 0 && r.events[0].dueUS < us && !r.stopped {
		switch err := r.play(ctx, heap.Pop(&r.events).(*operation)); {
		case errors.Is(err, message.ErrInterrupted):
			r.stopped = true
		case err != nil:
			return err
		}
		r.stopped = r.stopped || ctx.Err() != nil // a request may take a long time
	}
	return nil
}
