package algorithms

// windows are the counters of one key, by the number of their aligned window. Those of old windows are dropped when
// a new window begins; a clock that steps back by no more than a window finds its count again.
type windows struct {
	counters []windowCount // at most a few, the newest last
}

type windowCount struct{ number, count, goneUS int64 }

// spent reports whether no counter matters any more.
func (w *windows) spent(nowUS int64) bool {
	for _, c := range w.counters {
		if c.goneUS >= nowUS {
			return false
		}
	}
	return true
}

// count is what window number has admitted.
func (w *windows) count(number int64) int64 {
	for i := range w.counters {
		if w.counters[i].number == number {
			return w.counters[i].count
		}
	}
	return 0
}

// add counts cost in window number, whose counter matters until goneUS.
func (w *windows) add(number, cost, goneUS int64) {
	for i := range w.counters {
		if w.counters[i].number == number {
			w.counters[i].count += cost
			return
		}
	}
	kept := w.counters[:0]
	for _, c := range w.counters {
		if c.number >= number-2 {
			kept = append(kept, c)
		}
	}
	w.counters = append(kept, windowCount{number, cost, goneUS})
}
