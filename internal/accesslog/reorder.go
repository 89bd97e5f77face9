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

// entry is one request of a trace on its way through sorting and spreading. at is in microseconds since 1970.
type entry struct {
	at    int64
	file  *traceFile
	line  int64
	key   string
	cost  int32
	whole bool
	marks uint16

	takes   int64 // µs, 0: unknown
	stamped bool  // at is the request's end
}

// The window in which lines may be out of order: ten minutes or 65,536 lines, whichever is less. Many
// servers write a line when a request ends but stamp it with its start. Both bound the memory, whatever the file does.
const (
	sortWindow = 10 * time.Minute
	sortLines  = 1 << 16
)

// reorder sorts entries that are almost sorted: it holds back a window of them. Those that come in the order of time,
// which most do, wait in a queue. The others wait beside it until the earliest of them is due, and are merged then, all
// at once.
type reorder struct {
	window     time.Duration // 0: sortWindow
	queue      []entry
	gone       int // of the queue, from its beginning
	late       []entry
	lateUS     int64 // the time of the earliest of them
	newest     int64 // the latest time seen
	newestLine int64
	released   int64 // the time of the entry released last
	seen       int64
	outOfOrder int64 // entries earlier than one before them in the file
	last       int64 // the time of the entry before
	rising     int64 // entries later than the one before them
	falling    int64 // entries earlier than the one before them
}

// push takes the next entry of the file; it fails if the entry belongs before one already released.
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

// newestFirst reports whether nearly all entries so far are earlier than the one before them.
func (r *reorder) newestFirst() bool { return r.falling > 9*r.rising }

func (r *reorder) windowUS() int64 { return max(r.window, sortWindow).Microseconds() }

// waiting is how many entries are held back.
func (r *reorder) waiting() int { return len(r.queue) - r.gone + len(r.late) }

// earliest is the time of the entry that is due next, or the latest time of all.
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

// pop releases the earliest entry; there must be one.
func (r *reorder) pop() entry {
	if len(r.late) > 0 && r.earliest() == r.lateUS {
		r.merge()
	}
	first := r.queue[r.gone]
	r.queue[r.gone] = entry{} // let go of the key
	r.released = first.at
	if r.gone++; 2*r.gone >= cap(r.queue) || r.gone == len(r.queue) {
		r.queue = r.queue[:copy(r.queue, r.queue[r.gone:])]
		r.gone = 0
	}
	return first
}

// merge puts those that came late where they belong in the queue. Entries of one instant stand in the order of the
// file.
func (r *reorder) merge() {
	order := func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.line, b.line)) }
	slices.SortFunc(r.late, order)
	early, late := len(r.queue), len(r.late) // that have no place yet
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
	clear(r.late) // let go of the keys
	r.late, r.lateUS = r.late[:0], math.MaxInt64
}
