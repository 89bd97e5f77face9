package tune

import "time"

// windows finds for each key the smallest limit with which it is never refused, for windows of some lengths and of
// three kinds at once. Where nothing is refused that is the most that the key asks for in one window, whatever the
// costs are:
//
//	aligned    windows begin at multiples of their length on the clock (fixed-window-aligned)
//	first-hit  a window opens at a request and lives through its last ms, as a key with a TTL does (fixed-window)
//	log        (t − W, t] of every request's time t (sliding-window-log)
//
// Of the first two it also counts how many windows have how many requests. Where each costs 1 the limit does not move
// them, so that what is refused at any limit is the sum of what windows have beyond it.
type windows struct {
	startUS int64 // the clock at time 0
	lengths []time.Duration
	counts  slab[counter] // of a key, for each length: aligned, first-hit
	logs    slab[sum]     // of a key, for each length
	recent  slab[queue]   // of a key: its requests within the longest window
}

// counter is a fixed window: when it ends and what is in it, and the most that was in any.
type counter struct {
	end         int64 // aligned: the window's number; first-hit: its last ms
	count, most int32
}

// sum is what is within a window's length of a key's last request, and the most that ever was. What of the key's
// queue lies before first is not.
type sum struct {
	held  int64
	first int32
	most  int32
}

// queue is requests of a key, in the order of time.
type queue struct{ requests []request }

type request struct{ atUS, cost int64 }

func newWindows(startUS int64, lengths []time.Duration) *windows {
	n := len(lengths)
	return &windows{startUS: startUS, lengths: lengths, counts: slab[counter]{width: 2 * n}, logs: slab[sum]{width: n},
		recent: slab[queue]{width: 1}}
}

// closed is told of each fixed window that is over: of which length, of which kind, and what was in it.
type closed func(length int, firstHit bool, count int64)

// add is a request of a key. Times do not decrease.
func (w *windows) add(number, atUS, cost int64, over closed) {
	cost = min(cost, tooMuch)
	nowUS := w.startUS + atUS
	nowMS := nowUS / 1000
	counts := w.counts.row(number)
	for i, length := range w.lengths {
		aligned, opened := &counts[2*i], &counts[2*i+1]
		if window := nowUS / length.Microseconds(); window != aligned.end {
			aligned.close(i, false, over)
			aligned.end = window
		}
		if opened.count == 0 || nowMS > opened.end {
			opened.close(i, true, over)
			opened.end = nowMS + (length.Microseconds()+999)/1000
		}
		aligned.add(cost)
		opened.add(cost)
	}
	w.slide(number, atUS, cost)
}

func (c *counter) add(cost int64) {
	c.count = int32(min(int64(c.count)+cost, tooMuch))
	c.most = max(c.most, c.count)
}

// close ends a window, if any is open.
func (c *counter) close(length int, firstHit bool, over closed) {
	if c.count > 0 {
		over(length, firstHit, int64(c.count))
	}
	c.count = 0
}

// slide moves the logs of a key on to a request.
func (w *windows) slide(number, atUS, cost int64) {
	q, logs := &w.recent.row(number)[0], w.logs.row(number)
	q.requests = append(q.requests, request{atUS, cost})
	needed := int32(len(q.requests))
	for i, length := range w.lengths {
		s := &logs[i]
		s.held += cost
		for q.requests[s.first].atUS <= atUS-length.Microseconds() {
			s.held -= q.requests[s.first].cost
			s.first++
		}
		s.most = int32(max(int64(s.most), min(s.held, tooMuch)))
		needed = min(needed, s.first)
	}
	if int(needed) >= 16 && 2*int(needed) >= len(q.requests) {
		n := copy(q.requests, q.requests[needed:])
		q.requests = q.requests[:n]
		for i := range logs {
			logs[i].first -= needed
		}
	}
}

// collect ends the windows of a key, and adds to the histograms, three for each length, what the key takes.
func (w *windows) collect(number int64, into []peaks, over closed) {
	counts, logs := w.counts.row(number), w.logs.row(number)
	for i := range w.lengths {
		counts[2*i].close(i, false, over)
		counts[2*i+1].close(i, true, over)
		into[i].aligned.add(int64(counts[2*i].most), 1)
		into[i].firstHit.add(int64(counts[2*i+1].most), 1)
		into[i].log.add(int64(logs[i].most), 1)
	}
}

// peaks are histograms of what keys take in windows of one length.
type peaks struct{ aligned, firstHit, log histogram }

// clear forgets all keys.
func (w *windows) clear() {
	w.counts.clear()
	w.logs.clear()
	w.recent.clear()
}
