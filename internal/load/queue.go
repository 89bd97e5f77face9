package load

import (
	"sync"
	"time"

	"ratelab/internal/limit"
)

// job is a request on its way to a worker.
type job struct {
	req         limit.Request
	number      int64         // in the stream, from 0
	due, handed time.Duration // since the clock's origin
	queued      bool          // no worker was free when it was handed over
}

// queue is between the pacer and the workers: without a bound that a burst could fill, so that the pacer never waits.
type queue struct {
	mu      sync.Mutex
	work    sync.Cond
	jobs    []job // jobs[head:] are waiting
	head    int
	most    int // jobs that may wait; more are dropped, lest the memory run out
	workers int
	idle    int // workers that wait for a job, those counted that have been woken and have not got it yet
	over    bool

	burst     bool // what waits does so behind requests that were due at one instant, more than there are workers
	poolWaits int64
	spilled   int64
}

func newQueue(workers, most int) *queue {
	q := &queue{workers: workers, most: most}
	q.work.L = &q.mu
	return q
}

// push hands over jobs, which are in the order of their due times. Those due from counted on are counted.
func (q *queue) push(batch []job, counted time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return
	}
	if q.head == len(q.jobs) {
		q.jobs, q.head, q.burst = q.jobs[:0], 0, false
	} else if q.head > len(q.jobs)/2 { // a backlog that never ends must not keep what is done
		q.jobs, q.head = q.jobs[:copy(q.jobs, q.jobs[q.head:])], 0
	}
	for i := range batch {
		j := &batch[i]
		if i == 0 || j.due != batch[i-1].due {
			q.burst = q.burst || together(batch[i:]) > q.workers
		}
		waiting := len(q.jobs) - q.head
		j.queued = q.idle <= waiting
		switch {
		case waiting >= q.most:
			if j.due >= counted {
				q.spilled++
			}
			continue
		case j.queued && !q.burst && j.due >= counted:
			q.poolWaits++
		}
		q.jobs = append(q.jobs, *j)
		q.work.Signal()
	}
}

// together is how many of the first jobs are due at one instant.
func together(batch []job) int {
	n := 1
	for n < len(batch) && batch[n].due == batch[0].due {
		n++
	}
	return n
}

// pop waits for a job; ok is false when there will be none any more.
func (q *queue) pop() (j job, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.head == len(q.jobs) {
		if q.over {
			return job{}, false
		}
		q.idle++
		q.work.Wait()
		q.idle--
	}
	j = q.jobs[q.head]
	q.head++
	return j, true
}

// end lets the workers go when nothing is left.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.work.Broadcast()
}

// abandon lets the workers go at once; nobody will do the jobs that are left.
func (q *queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs, q.head, q.over = nil, 0, true
	q.work.Broadcast()
}
