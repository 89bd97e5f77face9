package measure

import (
	"maps"
	"slices"
)

// windows keeps, for each living key, the sum of the costs in (now−W, now], and of those that somebody else keeps, too.
// A key lives while it has such a cost; the others are swept when the number of slots has doubled, so that memory grows
// with living keys and not with the length of a run, at amortised O(1) an operation.
type windows struct {
	widthUS int64
	index   map[string]int
	sums    []int64 // by slot; apart from the rings, so that highest scans them fast. Stale until expired
	kept    []int64 // of those that are kept
	rings   []ring
	free    []int                            // slots whose keys were swept
	sweepAt int                              // slots in use at which to sweep next
	release func(slot int, nowUS int64) bool // asked before a slot is freed; false keeps it. nil: always
}

// firstSweep is the number of keys below which sweeping is not worth it.
const firstSweep = 1024

func newWindows(widthUS int64) *windows {
	return &windows{widthUS: widthUS, index: make(map[string]int), sweepAt: firstSweep}
}

// slot is the key's place, its sum brought up to nowUS.
func (w *windows) slot(key string, nowUS int64) int {
	i, ok := w.index[key]
	if !ok {
		return w.newSlot(key, nowUS)
	}
	w.expire(i, nowUS)
	return i
}

// sum is the key's at nowUS; unlike slot it makes no place for a key that has none.
func (w *windows) sum(key string, nowUS int64) int64 {
	i, ok := w.index[key]
	if !ok {
		return 0
	}
	w.expire(i, nowUS)
	return w.sums[i]
}

func (w *windows) newSlot(key string, nowUS int64) int {
	if len(w.index) >= w.sweepAt {
		w.sweep(nowUS)
	}
	var i int
	if last := len(w.free) - 1; last >= 0 {
		i, w.free = w.free[last], w.free[:last]
	} else {
		i = len(w.sums)
		w.sums, w.kept, w.rings = append(w.sums, 0), append(w.kept, 0), append(w.rings, ring{})
	}
	w.index[key] = i
	return i
}

// sweep frees the slots of keys that have nothing left in their window.
func (w *windows) sweep(nowUS int64) {
	for key, i := range w.index {
		w.expire(i, nowUS)
		if w.sums[i] == 0 && (w.release == nil || w.release(i, nowUS)) {
			delete(w.index, key)
			w.rings[i].shrink()
			w.free = append(w.free, i)
		}
	}
	w.sweepAt = max(firstSweep, 2*len(w.index))
}

// expire drops what is W or longer ago: the interval is half-open, (now−W, now].
func (w *windows) expire(i int, nowUS int64) {
	r := &w.rings[i]
	for r.used > 0 && r.first().atUS <= nowUS-w.widthUS {
		cost, kept := r.first().of()
		w.sums[i] -= cost
		w.kept[i] -= kept
		r.drop()
	}
}

// add puts cost at nowUS into the slot, which is up to date, and returns the new sum.
func (w *windows) add(i int, nowUS, cost int64, kept bool) int64 {
	w.rings[i].add(nowUS, cost, kept)
	w.sums[i] += cost
	if kept {
		w.kept[i] += cost
	}
	return w.sums[i]
}

// clone is a copy that goes its own way.
func (w *windows) clone() *windows {
	c := *w
	c.index, c.sums, c.kept, c.free = maps.Clone(w.index), slices.Clone(w.sums), slices.Clone(w.kept),
		slices.Clone(w.free)
	c.rings, c.release = slices.Clone(w.rings), nil
	for i := range c.rings {
		c.rings[i].buffer = slices.Clone(c.rings[i].buffer)
	}
	return &c
}

// highest is the largest sum of any key at nowUS. A stale sum is never too small, so only those above the best
// so far need to be brought up to date.
func (w *windows) highest(nowUS int64) int64 {
	var best int64
	for i, sum := range w.sums {
		if sum > best {
			w.expire(i, nowUS)
			best = max(best, w.sums[i])
		}
	}
	return best
}

// ring is a queue of admissions in a circular buffer whose size is a power of two.
type ring struct {
	buffer     []admission
	head, used int
}

// admission is a cost and when it was admitted. Whether it is kept is the sign, so that it takes no room: below zero it
// is not.
type admission struct{ atUS, signed int64 }

// of is the cost, and how much of it is kept.
func (a *admission) of() (cost, kept int64) {
	if a.signed < 0 {
		return -a.signed, 0
	}
	return a.signed, a.signed
}

func (r *ring) first() *admission { return &r.buffer[r.head] }

func (r *ring) drop() {
	r.head = (r.head + 1) & (len(r.buffer) - 1)
	r.used--
}

// add appends; what comes at one instant and is kept alike becomes one entry, since it will leave at one instant.
func (r *ring) add(atUS, cost int64, kept bool) {
	if !kept {
		cost = -cost
	}
	if r.used > 0 {
		last := &r.buffer[(r.head+r.used-1)&(len(r.buffer)-1)]
		if last.atUS == atUS && last.signed < 0 == !kept {
			last.signed += cost
			return
		}
	}
	if r.used == len(r.buffer) {
		r.grow()
	}
	r.buffer[(r.head+r.used)&(len(r.buffer)-1)] = admission{atUS, cost}
	r.used++
}

// smallestRing keeps keys that are seen once cheap.
const smallestRing = 2

func (r *ring) grow() {
	larger := make([]admission, max(smallestRing, 2*len(r.buffer)))
	n := copy(larger, r.buffer[r.head:])
	copy(larger[n:], r.buffer[:r.head])
	r.buffer, r.head = larger, 0
}

// shrink lets go of a large empty buffer, whose next owner may be a key that is seen once.
func (r *ring) shrink() {
	r.head = 0
	if len(r.buffer) > 64 {
		r.buffer = nil
	}
}
