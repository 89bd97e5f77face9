package algorithms

import (
	"math"
	"slices"
)

// windows are the counters of one key, by the number of their aligned window. Each is a key of its own in Redis. A
// clock that steps back finds the count of an older window again while that is kept.
type windows struct {
	counters []windowCount // those of the last requests last
	firstMS  int64         // none of them expires before
}

// windowCount is the counter of a window, which Redis keeps through lastMS.
type windowCount struct{ number, count, lastMS int64 }

func (w *windows) expire(nowMS int64) (gone bool) {
	if w.firstMS < nowMS {
		w.counters = slices.DeleteFunc(w.counters, func(c windowCount) bool { return c.lastMS < nowMS })
		w.firstMS = math.MaxInt64
		for _, c := range w.counters {
			w.firstMS = min(w.firstMS, c.lastMS)
		}
	}
	return len(w.counters) == 0
}

func (w *windows) clone() windows { return windows{slices.Clone(w.counters), w.firstMS} }

// find gives the index of window number's counter, or −1.
func (w *windows) find(number int64) int {
	for i := len(w.counters) - 1; i >= 0; i-- {
		if w.counters[i].number == number {
			return i
		}
	}
	return -1
}

// count is what window number has admitted.
func (w *windows) count(number int64) int64 {
	if i := w.find(number); i >= 0 {
		return w.counters[i].count
	}
	return 0
}

// add counts cost in window number. A new counter is kept through lastMS.
func (w *windows) add(number, cost, lastMS int64) {
	if i := w.find(number); i >= 0 {
		w.counters[i].count += cost
		return
	}
	w.firstMS = min(w.firstMS, lastMS)
	w.counters = append(w.counters, windowCount{number, cost, lastMS})
}
