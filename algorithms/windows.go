package algorithms

import "slices"

// windows are the counters of one key by the beginnings of their aligned windows, which are lengthUS long. In Redis
// they are one hash. If the clock steps back, the count of an older window is used again as long as it is among the
// sixteen that are kept.
type windows struct {
	life
	lengthUS int64
	counters []windowCount // in the order of their creation
}

type windowCount struct{ beginUS, count int64 }

// mostWindows is how many windows a key keeps.
const mostWindows = 16

func (w *windows) unshare() { w.counters = slices.Clone(w.counters) }

// find returns the index of the counter of the window that begins at beginUS, or −1.
func (w *windows) find(beginUS int64) int {
	for i := len(w.counters) - 1; i >= 0; i-- {
		if w.counters[i].beginUS == beginUS {
			return i
		}
	}
	return -1
}

// count returns the cost that the window that begins at beginUS has admitted.
func (w *windows) count(beginUS int64) int64 {
	if i := w.find(beginUS); i >= 0 {
		return w.counters[i].count
	}
	return 0
}

// isOther reports whether the windows have another length.
func (w *windows) isOther(lengthUS int64) bool { return w.lengthUS != 0 && w.lengthUS != lengthUS }

// add adds tokens to a window of that length. If the window is new, the key lives for two windows from now. If there
// are sixteen windows already, the one with the lowest beginning except neededUS is dropped. Windows of another length
// are all dropped.
func (w *windows) add(at *moment, beginUS, neededUS, lengthUS, tokens int64) {
	if w.isOther(lengthUS) {
		*w = windows{}
	}
	if i := w.find(beginUS); i >= 0 {
		w.counters[i].count += tokens
		return
	}
	if len(w.counters) >= mostWindows {
		lowest := -1
		for i, c := range w.counters {
			if c.beginUS != neededUS && (lowest < 0 || c.beginUS < w.counters[lowest].beginUS) {
				lowest = i
			}
		}
		w.counters = slices.Delete(w.counters, lowest, lowest+1)
	}
	w.counters = append(w.counters, windowCount{beginUS, tokens})
	w.lengthUS, w.lastMS = lengthUS, at.afterUS(2*lengthUS)
}

// beginOf returns the beginning of the window around atUS.
func beginOf(atUS, lengthUS int64) int64 { return floorDiv(atUS, lengthUS) * lengthUS }
