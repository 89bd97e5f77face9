package chart

import "ratelab/internal/limit"

// Limiters just real enough to give the pictures their true shapes: one key, cost 1, whole microseconds.

type decider func(atUS int64) bool

func everything(limit.Policy) decider { return func(int64) bool { return true } }

func slidingLog(p limit.Policy) decider {
	var log []int64
	return func(at int64) bool {
		for len(log) > 0 && log[0] <= at-p.WindowUS() {
			log = log[1:]
		}
		if int64(len(log)) >= p.Requests {
			return false
		}
		log = append(log, at)
		return true
	}
}

func alignedWindow(p limit.Policy) decider {
	window, count := int64(-1), int64(0)
	return func(at int64) bool {
		if w := at / p.WindowUS(); w != window {
			window, count = w, 0
		}
		if count >= p.Requests {
			return false
		}
		count++
		return true
	}
}

func slidingCounter(p limit.Policy) decider {
	window, previous, current := int64(0), int64(0), int64(0)
	width := p.WindowUS()
	return func(at int64) bool {
		for ; window < at/width; window++ {
			previous, current = current, 0
		}
		if previous*(width-at%width)+(current+1)*width > p.Requests*width {
			return false
		}
		current++
		return true
	}
}

func subWindows(n int64) func(limit.Policy) decider {
	return func(p limit.Policy) decider {
		counts, width := map[int64]int64{}, p.WindowUS()/n
		return func(at int64) bool {
			sum := int64(0)
			for w := (at - p.WindowUS() + 1) / width; w <= at/width; w++ {
				sum += counts[w]
			}
			if sum >= p.Requests {
				return false
			}
			counts[at/width]++
			return true
		}
	}
}

// theoretical is GCRA in units of 1/L µs, so that nothing is rounded.
func theoretical(burst int64) func(limit.Policy) decider {
	return func(p limit.Policy) decider {
		full := int64(0)
		return func(at int64) bool {
			now, interval := at*p.Requests, p.WindowUS()
			full = max(full, now)
			if full+interval-now > burst*interval {
				return false
			}
			full += interval
			return true
		}
	}
}

func intervalBucket(p limit.Policy) decider {
	tokens, last := p.Requests, int64(0)
	return func(at int64) bool {
		if n := (at - last) / p.WindowUS(); n > 0 {
			tokens, last = p.Requests, last+n*p.WindowUS()
		}
		if tokens == 0 {
			return false
		}
		tokens--
		return true
	}
}
