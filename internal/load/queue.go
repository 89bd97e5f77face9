package load

import (
	"sync"
	"time"

	"ratelab/internal/limit"
)

// call is a request on its way through an open loop, and what became of it. Instants are those of the run's clock.
type call struct {
	req         limit.Request
	number      int // from 0
	due, handed time.Duration
	queued      bool // no worker was free when it was handed over
	poolWait    bool // and no burst was the reason
	fate        fate
	Outcome     // what was answered
}

// fate is what became of a request.
type fate int8

const (
	unsent   fate = iota
	answered      // that is, sent
	dropped       // late, as asked for
)

// queue is between the pacer and the workers: without a bound that a burst could fill, so that the pacer never waits.
type queue struct {
	mu      sync.Mutex
	work    sync.Cond
	calls   []*call // calls[head:] are waiting
	head    int
	workers int
	idle    int // workers that wait for a call, those counted that have been woken and have not got it yet
	over    bool
	burst   bool // what waits does so behind requests that were due at one instant, more than there are workers
}

func newQueue(workers int) *queue {
	q := &queue{workers: workers}
	q.work.L = &q.mu
	return q
}

// push hands over calls, which are in the order of their due times.
func (q *queue) push(batch []*call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	if q.head == len(q.calls) {
		q.calls, q.head, q.burst = q.calls[:0], 0, false
	} else if q.head > len(q.calls)/2 { // a backlog that never ends must not keep what is done
		q.calls, q.head = q.calls[:copy(q.calls, q.calls[q.head:])], 0
	}
	for i, c := range batch {
		if n := i + q.workers; n < len(batch) && batch[n].due == c.due {
			q.burst = true
		}
		c.queued = q.idle <= len(q.calls)-q.head
		c.poolWait = c.queued && !q.burst
		q.calls = append(q.calls, c)
		q.work.Signal()
	}
}

// pop waits for a call; nil: there will be none any more.
func (q *queue) pop() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == len(q.calls) {
		if q.over {
			return nil
		}
		q.idle++
		q.work.Wait()
		q.idle--
	}
	c := q.calls[q.head]
	q.head++
	return c
}

// end lets the workers go when nothing is left, or at once, when nobody will do the calls that are left.
func (q *queue) end(atOnce bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over = true; atOnce {
		q.calls, q.head = nil, 0
	}
	q.work.Broadcast()
}
