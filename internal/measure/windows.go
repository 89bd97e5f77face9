package measure

// windows keeps, for each living key, the sum of the costs admitted in (now−W, now]. It also keeps the part of the sum
// that the exact limiter behind admits. A key lives while its sum is positive. Other keys are swept when the number of
// slots has doubled. So the memory grows with the living keys, plus four bytes for each key ever seen, and not with the
// length of a run. An operation takes amortised O(1). Keys are known by their numbers, which are small.
type windows struct {
	widthUS int64
	flights bool    // an entry has the time of its own end, and the entries are heaps; widthUS is 0
	slots   []int32 // by number: 1 + the slot, or 0 if the key has none
	numbers []int32 // by slot: the number of the key; -1: the slot is free
	sums    []int64 // by slot; stored apart from the rings, so that highest scans them fast. Stale until expired
	rings   []ring
	free    []int32                          // slots whose keys were swept
	sweepAt int                              // how many slots must be in use for the next sweep
	release func(slot int, nowUS int64) bool // called before a slot is freed; false keeps the slot. nil: always true
}

// firstSweep is the number of keys below which sweeping is not worth its time.
const firstSweep = 1024

func newWindows(widthUS int64) *windows { return &windows{widthUS: widthUS, sweepAt: firstSweep} }

// slot returns the key's slot, with its sum updated to nowUS. It allocates a slot if the key has none.
func (w *windows) slot(number, nowUS int64) int {
	i := w.has(number)
	if i < 0 {
		return w.newSlot(number, nowUS)
	}
	w.expire(i, nowUS)
	return i
}

// has returns the key's slot, or −1 if it has none.
func (w *windows) has(number int64) int {
	if number >= int64(len(w.slots)) {
		return -1
	}
	return int(w.slots[number]) - 1
}

// at returns the key's sum at nowUS, and the part that the exact limiter behind also admits. Unlike slot, it does not
// allocate a slot.
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

// sweep frees the slots of keys with nothing left in their window.
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

// expire drops costs that are W or more old: the interval is half-open, (now−W, now].
func (w *windows) expire(i int, nowUS int64) {
	r := &w.rings[i]
	for r.used > 0 && r.first().atUS <= nowUS-w.widthUS {
		cost, kept := r.first().of()
		w.sums[i] -= cost
		r.kept -= kept
		if w.flights {
			r.pop()
		} else {
			r.drop()
		}
	}
}

// add adds cost at nowUS to the slot, which must be updated to nowUS, and returns the new sum.
func (w *windows) add(i int, nowUS, cost int64, kept bool) int64 {
	r := &w.rings[i]
	if w.flights {
		r.push(nowUS, cost, kept)
	} else {
		r.add(nowUS, cost, kept)
	}
	if kept {
		r.kept += cost
	}
	w.sums[i] += cost
	return w.sums[i]
}

// highest returns the largest sum of any key at nowUS. A stale sum is never too small, so only sums above the highest
// known one must be updated.
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
	kept       int64 // the sum of the kept costs
}

// admission is a cost and the time of its admission. A positive sign means that the exact limiter behind also admits
// the cost (it is kept). The sign saves a field.
type admission struct{ atUS, signed int64 }

// of returns the cost and its kept part.
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

// add appends an admission. Admissions at one instant that are kept alike become one entry, because they expire
// together.
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

// push adds an entry to a ring that is a heap: the earliest entry is first.
func (r *ring) push(endUS, cost int64, kept bool) {
	if !kept {
		cost = -cost
	}
	if int(r.used) == len(r.buffer) {
		r.grow()
	}
	i := r.used
	r.used++
	for ; i > 0 && r.buffer[(i-1)/2].atUS > endUS; i = (i - 1) / 2 {
		r.buffer[i] = r.buffer[(i-1)/2]
	}
	r.buffer[i] = admission{endUS, cost}
}

// pop removes the first entry of a heap.
func (r *ring) pop() {
	r.used--
	last, i := r.buffer[r.used], uint32(0)
	for {
		child := 2*i + 1
		if child >= r.used {
			break
		}
		if child+1 < r.used && r.buffer[child+1].atUS < r.buffer[child].atUS {
			child++
		}
		if r.buffer[child].atUS >= last.atUS {
			break
		}
		r.buffer[i] = r.buffer[child]
		i = child
	}
	r.buffer[i] = last
}

// smallestRing is small, so that keys that are seen once are cheap.
const smallestRing = 2

func (r *ring) grow() {
	larger := make([]admission, max(smallestRing, 2*len(r.buffer)))
	n := copy(larger, r.buffer[r.head:])
	copy(larger[n:], r.buffer[:r.head])
	r.buffer, r.head = larger, 0
}

// shrink frees a large empty buffer, because the slot's next key may be seen only once.
func (r *ring) shrink() {
	r.head = 0
	if len(r.buffer) > 64 {
		r.buffer = nil
	}
}
