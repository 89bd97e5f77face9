package traffic

import (
	"fmt"
	"time"
)

// entry is one request of a trace on its way through sorting and spreading. at is in microseconds since 1970.
type entry struct {
	at    int64
	file  *source
	line  int64
	key   string
	cost  int64
	whole bool
}

// The window in which lines may be out of order. Servers write a line when a request ends but stamp it with
// its start, so a minute covers the slow ones. Both bound the memory, whatever the file does.
const (
	sortWindow = 60 * time.Second
	sortLines  = 1 << 16
)

// reorder sorts entries that are almost sorted: it holds back a window of them. Those that come in the order of time,
// which most do, wait in a queue, and the others in a heap, ordered by time and, within the same instant, by line.
type reorder struct {
	queue      []entry
	gone       int // of the queue, from its beginning
	heap       []entry
	newest     int64 // the latest time seen
	newestLine int64
	released   int64 // the time of the entry released last
	seen       int64
	outOfOrder int64 // entries earlier than one before them in the file
}

// push takes the next entry of the file; it fails if the entry belongs before one already released.
func (r *reorder) push(e entry) error {
	if r.seen++; r.seen == 1 {
		r.newest, r.newestLine, r.released = e.at, e.line, e.at-sortWindow.Microseconds()
	}
	if e.at < r.newest {
		r.outOfOrder++
	} else {
		r.newest, r.newestLine = e.at, e.line
	}
	if e.at < r.released {
		return fmt.Errorf("%s is %v earlier than line %d; want lines at most %v and %s lines out of order: sort the "+
			"file by time first",
			time.UnixMicro(e.at).UTC().Format("2006-01-02T15:04:05.999999Z"),
			time.Duration(r.newest-e.at)*time.Microsecond,
			r.newestLine, sortWindow, grouped(sortLines))
	}
	if n := len(r.queue); n == r.gone || e.at >= r.queue[n-1].at {
		r.queue = append(r.queue, e)
		return nil
	}
	r.heap = append(r.heap, e)
	r.up(len(r.heap) - 1)
	return nil
}

// waiting is how many entries are held back.
func (r *reorder) waiting() int { return len(r.queue) - r.gone + len(r.heap) }

// ready reports whether the earliest entry has left the window.
func (r *reorder) ready() bool {
	n := r.waiting()
	return n > sortLines || n > 0 && r.newest-r.first().at > sortWindow.Microseconds()
}

// first is the earliest entry; there must be one.
func (r *reorder) first() *entry {
	switch {
	case r.gone == len(r.queue):
		return &r.heap[0]
	case len(r.heap) == 0 || !earlier(&r.heap[0], &r.queue[r.gone]):
		return &r.queue[r.gone]
	}
	return &r.heap[0]
}

// pop releases the earliest entry; there must be one.
func (r *reorder) pop() entry {
	at := r.first()
	first := *at
	r.released = first.at
	*at = entry{} // let go of the key
	if r.gone < len(r.queue) && at == &r.queue[r.gone] {
		if r.gone++; 2*r.gone >= cap(r.queue) || r.gone == len(r.queue) {
			r.queue = r.queue[:copy(r.queue, r.queue[r.gone:])]
			r.gone = 0
		}
		return first
	}
	last := len(r.heap) - 1
	r.heap[0], r.heap[last] = r.heap[last], entry{}
	r.heap = r.heap[:last]
	r.down(0)
	return first
}

func (r *reorder) before(i, j int) bool { return earlier(&r.heap[i], &r.heap[j]) }

func earlier(a, b *entry) bool { return a.at < b.at || a.at == b.at && a.line < b.line }

func (r *reorder) up(i int) {
	for i > 0 && r.before(i, (i-1)/2) {
		r.heap[i], r.heap[(i-1)/2] = r.heap[(i-1)/2], r.heap[i]
		i = (i - 1) / 2
	}
}

func (r *reorder) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if child+1 < len(r.heap) && r.before(child+1, child) {
			child++
		}
		if !r.before(child, i) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}
