package algorithms

import "slices"

// windows are the counters of one key, by the number of their aligned window, which is lengthUS long; they are one hash
// in Redis. A clock that steps back finds the count of an older window again while that
// is among the sixteen that are kept.
type windows struct {
	life
	lengthUS int64
	counters []windowCount // those of the last requests last
}

type windowCount struct{ number, count int64 }

// mostWindows is how many a key keeps.
const mostWindows = 16

func (w *windows) reset() { *w = windows{counters: w.counters[:0]} }

func (w *windows) clone() windows { return windows{w.life, w.lengthUS, slices.Clone(w.counters)} }

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

// spanUS is how long the windows are that count for a request in window number of length lengthUS: those from before
// a change of the length do until one of the new ones opens.
func (w *windows) spanUS(number, lengthUS int64) int64 {
	if w.lengthUS == 0 || w.find(number) >= 0 {
		return lengthUS
	}
	return w.lengthUS
}

// add counts cost in window number, which opens with carried from windows of another length, where it is new, and is
// kept through lastMS. Where it is one too many, the lowest but needed goes.
func (w *windows) add(number, needed, lengthUS, carried, cost, lastMS int64) {
	if i := w.find(number); i >= 0 {
		w.counters[i].count += cost
		return
	}
	if w.lengthUS != lengthUS {
		w.reset()
		w.lengthUS = lengthUS
		cost += carried
	}
	if len(w.counters) >= mostWindows {
		lowest := -1
		for i, c := range w.counters {
			if c.number != needed && (lowest < 0 || c.number < w.counters[lowest].number) {
				lowest = i
			}
		}
		w.counters = slices.Delete(w.counters, lowest, lowest+1)
	}
	w.counters = append(w.counters, windowCount{number, cost})
	w.lastMS = max(w.lastMS, lastMS)
}
