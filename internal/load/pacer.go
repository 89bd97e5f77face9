package load

import (
	"time"

	"ratelab/internal/limit"
)

// longestNap bounds how late the pacer sees that the run is over.
const longestNap = 5 * time.Millisecond

// largestBatch bounds what is handed over at a time, so that a pacer that runs late hands over at all.
const largestBatch = 4096

// pacing is the pacer's work on one run, and what it counts: requests that count, not those that warm up.
type pacing struct {
	clock Stopwatch
	queue *queue
	over  func() bool
	start time.Duration // when a request with AtUS 0 is due; those due earlier do not count

	number                                     int64 // of the next request
	batch                                      []job
	offered                                    int64
	firstDue, lastDue, firstHanded, lastHanded time.Duration
}

// run hands over each request when it is due, on a thread of its own: Go's scheduler wakes a thread that sleeps in
// the kernel by itself, whereas its own timers fire in whole milliseconds.
func (p *pacing) run(f *feeder, first []limit.Request) {
	p.clock.ownThread()
	for chunk, ok := first, true; ok; chunk, ok = f.next(chunk) {
		for _, req := range chunk {
			if !p.await(p.start + time.Duration(req.AtUS)*time.Microsecond) {
				return
			}
			p.add(req)
		}
		if len(f.chunks) == 0 {
			p.handOver() // the stream is slow, perhaps: what is due does not wait for it
		}
	}
	p.handOver()
}

// add puts a request into the batch that is handed over next.
func (p *pacing) add(req limit.Request) {
	p.batch = append(p.batch, job{req: req, number: p.number, due: p.start + time.Duration(req.AtUS)*time.Microsecond})
	p.number++
}

// liveNap is how long nobody looks whether something is due that no answer brings about.
const liveNap = 100 * time.Microsecond

// runLive calls due again and again until it says that all is over.
func (p *pacing) runLive(due func() (over bool, err error)) error {
	p.clock.ownThread()
	for !p.over() {
		if left := p.start - p.clock.Now(); left > 0 {
			p.clock.Nap(min(left, longestNap))
			continue
		}
		if over, err := due(); over || err != nil {
			return err
		}
		p.clock.Nap(liveNap)
	}
	return nil
}

// await sleeps until due; before that it hands over what was due earlier. It is false when the run is over.
func (p *pacing) await(due time.Duration) bool {
	if n := len(p.batch); n > 0 && (due > p.batch[n-1].due || n == largestBatch) {
		if due > p.clock.Now() || n == largestBatch {
			p.handOver()
		}
	}
	for {
		left := due - p.clock.Now()
		if left <= 0 {
			return true
		}
		if p.over() {
			return false
		}
		p.clock.Nap(min(left, longestNap))
	}
}

// handOver gives the workers what is due.
func (p *pacing) handOver() {
	if len(p.batch) == 0 {
		return
	}
	now := p.clock.Now()
	for i := range p.batch {
		j := &p.batch[i]
		j.handed = now
		if j.due >= p.start {
			if p.offered == 0 {
				p.firstDue, p.firstHanded = j.due, now
			}
			p.offered++
			p.lastDue, p.lastHanded = j.due, now
		}
	}
	p.queue.push(p.batch, p.start)
	p.batch = p.batch[:0]
}
