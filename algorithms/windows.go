package algorithms

import "slices"

// windows are the counters of one key, by the begin of their aligned window, which is lengthUS long; they are one hash
// in Redis. A clock that steps back finds the count of an older window again while that is among the sixteen that are
// kept.
type windows struct {
	life
	lengthUS int64
	counters []windowCount // those of the last requests last
}

type windowCount struct{ beginUS, count int64 }

// mostWindows is how many a key keeps.
const mostWindows = 16

func (w *windows) unshare() { w.counters = slices.Clone(w.counters) }

// find gives the index of the counter of the window that begins then, or −1.
func (w *windows) find(beginUS int64) int {
	for i := len(w.counters) - 1; i >= 0; i-- {
		if w.counters[i].beginUS == beginUS {
			return i
		}
	}
	return -1
}

// count is what the window that begins then has admitted.
func (w *windows) count(beginUS int64) int64 {
	if i := w.find(beginUS); i >= 0 {
		return w.counters[i].count
	}
	return 0
}

// isOther reports whether the windows are of another length.
func (w *windows) isOther(lengthUS int64) bool { return w.lengthUS != 0 && w.lengthUS != lengthUS }

// add counts permits in a window of that length. Where it opens, the lowest of sixteen but needed goes, those of
// another length all go, and the key lives for two windows.
func (w *windows) add(at *moment, beginUS, neededUS, lengthUS, permits int64) {
	if w.isOther(lengthUS) {
		*w = windows{}
	}
	if i := w.find(beginUS); i >= 0 {
		w.counters[i].count += permits
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
	w.counters = append(w.counters, windowCount{beginUS, permits})
	w.lengthUS, w.lastMS = lengthUS, at.afterUS(2*lengthUS)
}

// beginOf is when the window around atUS begins.
func beginOf(atUS, lengthUS int64) int64 { return floorDiv(atUS, lengthUS) * lengthUS }
