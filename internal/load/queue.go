package load

import (
	"sync"
	"time"

	"ratelab/internal/limit"
)

// call is a request in an open loop, with its outcome. Instants are on the run's clock.
type call struct {
	req         limit.Request
	number      int // from 0
	due, handed time.Duration
	queued      bool // no worker was free when it was handed over
	poolWait    bool // queued, and not because of a burst
	fate        fate
	Outcome     // of the answer
}

// fate tells what became of a request.
type fate int8

const (
	unsent   fate = iota
	answered      // sent and answered
	dropped       // too late, and on_late is drop
)

// queue passes calls from the pacer to the workers. It has no size limit, so that the pacer never waits.
type queue struct {
	mu      sync.Mutex
	work    sync.Cond
	calls   []*call // calls[head:] are waiting
	head    int
	workers int
	idle    int // waiting workers, including workers that have been woken but have not taken a call yet
	over    bool
	burst   bool // the waiting calls include a burst: more requests due at one instant than there are workers
}

func newQueue(workers int) *queue {
	q := &queue{workers: workers}
	q.work.L = &q.mu
	return q
}

// push appends calls, which must be sorted by their due times.
func (q *queue) push(batch []*call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	if q.head == len(q.calls) {
		q.calls, q.head, q.burst = q.calls[:0], 0, false
	} else if q.head > len(q.calls)/2 { // free the finished calls even if the queue never becomes empty
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

// pop waits for a call. It returns nil if the queue has ended.
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

// end ends the queue: workers stop once it is empty. With atOnce, the remaining calls are dropped.
func (q *queue) end(atOnce bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over = true; atOnce {
		q.calls, q.head = nil, 0
	}
	q.work.Broadcast()
}
