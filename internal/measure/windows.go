package measure

// windows keeps, for each living key, the sum of the costs in (now−W, now], and of those that somebody else keeps, too.
// A key lives while it has such a cost; the others are swept when the number of slots has doubled, so that memory grows
// with living keys, and by four bytes with all that there were, and not with the length of a run, at amortised O(1) an
// operation. Keys are known by their numbers, which are small.
type windows struct {
	widthUS int64
	slots   []int32 // by number: 1 + the slot, 0 where there is none
	numbers []int32 // by slot, of the keys that have them; -1: it is free
	sums    []int64 // by slot; apart from the rings, so that highest scans them fast. Stale until expired
	rings   []ring
	free    []int32                          // slots whose keys were swept
	sweepAt int                              // slots in use at which to sweep next
	release func(slot int, nowUS int64) bool // asked before a slot is freed; false keeps it. nil: always
}

// firstSweep is the number of keys below which sweeping is not worth it.
const firstSweep = 1024

func newWindows(widthUS int64) *windows { return &windows{widthUS: widthUS, sweepAt: firstSweep} }

// slot is the key's place, its sum brought up to nowUS.
func (w *windows) slot(number, nowUS int64) int {
	i := w.has(number)
	if i < 0 {
		return w.newSlot(number, nowUS)
	}
	w.expire(i, nowUS)
	return i
}

// has is the key's place, below zero where it has none.
func (w *windows) has(number int64) int {
	if number >= int64(len(w.slots)) {
		return -1
	}
	return int(w.slots[number]) - 1
}

// at is the key's sum at nowUS, and what of it somebody else keeps, too; unlike slot it makes no place for a key that
// has none.
func (w *windows) at(number, nowUS int64) (sum, kept int64) {
	i := w.has(number)
	if i < 0 {
		return 0, 0
	}
	w.expire(i, nowUS)
	return w.sums[i], w.rings[i].kept
}

func (w *windows) newSlot(number, nowUS int64) int {
	if len(w.numbers)-len(w.free) >= w.sweepAt {
		w.sweep(nowUS)
	}
	var i int
	if last := len(w.free) - 1; last >= 0 {
		i, w.free = int(w.free[last]), w.free[:last]
		w.numbers[i] = int32(number)
	} else {
		i = len(w.sums)
		w.numbers, w.sums, w.rings = append(w.numbers, int32(number)), append(w.sums, 0), append(w.rings, ring{})
	}
	for number >= int64(len(w.slots)) {
		w.slots = append(w.slots, 0)
	}
	w.slots[number] = int32(i) + 1
	return i
}

// sweep frees the slots of keys that have nothing left in their window.
func (w *windows) sweep(nowUS int64) {
	for i, number := range w.numbers {
		if number < 0 {
			continue
		}
		w.expire(i, nowUS)
		if w.sums[i] == 0 && (w.release == nil || w.release(i, nowUS)) {
			w.slots[number], w.numbers[i] = 0, -1
			w.rings[i].shrink()
			w.free = append(w.free, int32(i))
		}
	}
	w.sweepAt = max(firstSweep, 2*(len(w.numbers)-len(w.free)))
}

// expire drops what is W or longer ago: the interval is half-open, (now−W, now].
func (w *windows) expire(i int, nowUS int64) {
	r := &w.rings[i]
	for r.used > 0 && r.first().atUS <= nowUS-w.widthUS {
		cost, kept := r.first().of()
		w.sums[i] -= cost
		r.kept -= kept
		r.drop()
	}
}

// add puts cost at nowUS into the slot, which is up to date, and returns the new sum.
func (w *windows) add(i int, nowUS, cost int64, kept bool) int64 {
	r := &w.rings[i]
	r.add(nowUS, cost, kept)
	if kept {
		r.kept += cost
	}
	w.sums[i] += cost
	return w.sums[i]
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
	head, used uint32
	kept       int64 // the sum of what is kept
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
	r.head = (r.head + 1) & uint32(len(r.buffer)-1)
	r.used--
}

// add appends; what comes at one instant and is kept alike becomes one entry, since it will leave at one instant.
func (r *ring) add(atUS, cost int64, kept bool) {
	if !kept {
		cost = -cost
	}
	if r.used > 0 {
		last := &r.buffer[(r.head+r.used-1)&uint32(len(r.buffer)-1)]
		if last.atUS == atUS && last.signed < 0 == !kept {
			last.signed += cost
			return
		}
	}
	if int(r.used) == len(r.buffer) {
		r.grow()
	}
	r.buffer[(r.head+r.used)&uint32(len(r.buffer)-1)] = admission{atUS, cost}
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
