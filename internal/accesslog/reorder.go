package accesslog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// entry is one request of a trace before sorting and spreading. at is in microseconds since 1970.
type entry struct {
	at   int64
	file *traceFile
	line int64
	key  string
	cost int32
	// the cost that is known at the end; 0: it is cost
	actual int32
	whole  bool
	marks  uint16

	takes   int64 // µs, 0: unknown
	stamped bool  // at is the request's end
}

// The window in which lines may be out of order: ten minutes or 65,536 lines, whichever is less. Lines are out of order
// because many servers write a line when a request ends, but with the time of its start. The window bounds the memory
// for any file.
const (
	sortWindow = 10 * time.Minute
	sortLines  = 1 << 16
)

// reorder sorts entries that are almost sorted. It holds back a window of them. Entries in the order of time, which
// most are, wait in a queue. Late entries wait in a list until the earliest of them is due. Then the whole list is
// merged into the queue.
type reorder struct {
	window     time.Duration // 0: sortWindow
	queue      []entry
	gone       int // the number of entries at the queue's beginning that were released
	late       []entry
	lateUS     int64 // the earliest time in late
	newest     int64 // the latest time seen
	newestLine int64
	released   int64 // the time of the last entry released
	seen       int64
	outOfOrder int64 // entries earlier than any entry before them in the file
	last       int64 // the time of the previous entry
	rising     int64 // entries later than the previous one
	falling    int64 // entries earlier than the previous one
}

// push adds the next entry of the file. It returns an error if the entry is earlier than one already released.
func (r *reorder) push(e entry) error {
	if r.seen++; r.seen == 1 {
		r.newest, r.released, r.lateUS = e.at, e.at-r.windowUS(), math.MaxInt64
	}
	switch {
	case r.seen == 1:
	case e.at > r.last:
		r.rising++
	case e.at < r.last:
		r.falling++
	}
	r.last = e.at
	if e.at < r.released {
		return fmt.Errorf("%s is %v earlier than line %d; want lines at most %v and %s lines out of order: give "+
			"each file of a log its own --trace, or sort the file by time",
			time.UnixMicro(e.at).UTC().Format("2006-01-02T15:04:05.999999Z"),
			time.Duration(r.newest-e.at)*time.Microsecond, r.newestLine,
			limit.FormatDuration(max(r.window, sortWindow)), message.Grouped(sortLines))
	}
	if e.at < r.newest {
		r.outOfOrder++
		r.late, r.lateUS = append(r.late, e), min(r.lateUS, e.at)
		return nil
	}
	r.newest, r.newestLine = e.at, e.line
	r.queue = append(r.queue, e)
	return nil
}

// newestFirst reports whether nearly all entries so far are earlier than their previous ones.
func (r *reorder) newestFirst() bool { return r.falling > 9*r.rising }

func (r *reorder) windowUS() int64 { return max(r.window, sortWindow).Microseconds() }

// waiting returns how many entries are held back.
func (r *reorder) waiting() int { return len(r.queue) - r.gone + len(r.late) }

// earliest returns the time of the next entry to release. If no entry waits, it returns a time later than all.
func (r *reorder) earliest() int64 {
	if r.gone == len(r.queue) {
		return r.lateUS
	}
	return min(r.queue[r.gone].at, r.lateUS)
}

// ready reports whether the earliest entry has left the window.
func (r *reorder) ready() bool {
	n := r.waiting()
	return n > sortLines || n > 0 && r.newest-r.earliest() > r.windowUS()
}

// pop releases the earliest entry. At least one must wait.
func (r *reorder) pop() entry {
	if len(r.late) > 0 && r.earliest() == r.lateUS {
		r.merge()
	}
	first := r.queue[r.gone]
	r.queue[r.gone] = entry{} // frees the key
	r.released = first.at
	if r.gone++; 2*r.gone >= cap(r.queue) || r.gone == len(r.queue) {
		r.queue = r.queue[:copy(r.queue, r.queue[r.gone:])]
		r.gone = 0
	}
	return first
}

// merge moves the late entries to their places in the queue. Entries with the same time keep the order of the file.
func (r *reorder) merge() {
	order := func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.line, b.line)) }
	slices.SortFunc(r.late, order)
	early, late := len(r.queue), len(r.late) // the numbers of entries that have no place yet
	r.queue = append(r.queue, r.late...)
	for at := len(r.queue) - 1; late > 0; at-- {
		if early > r.gone && order(r.queue[early-1], r.late[late-1]) > 0 {
			early--
			r.queue[at] = r.queue[early]
		} else {
			late--
			r.queue[at] = r.late[late]
		}
	}
	clear(r.late) // frees the keys
	r.late, r.lateUS = r.late[:0], math.MaxInt64
}
