package tune

import "container/heap"

// load finds the backend's worst second: the largest cost that arrives there, of all keys, in any (t − 1 s, t].
type load struct {
	recent  []request // of the last second, those of one instant added up
	first   int       // of recent that still count
	sum     int64
	most    int64
	waiting departures // what a shaper holds back
}

const secondUS = 1_000_000

// add is what is admitted at a time and leaves then or later, by delayUS. Times of admission do not decrease.
func (l *load) add(atUS, delayUS, cost int64) {
	l.until(atUS)
	if delayUS > 0 {
		heap.Push(&l.waiting, request{atUS + delayUS, cost})
		return
	}
	l.arrive(atUS, cost)
}

// until lets everything leave that does so by then.
func (l *load) until(atUS int64) {
	for len(l.waiting) > 0 && l.waiting[0].atUS <= atUS {
		q := heap.Pop(&l.waiting).(request)
		l.arrive(q.atUS, q.cost)
	}
}

// arrive counts what reaches the backend, in the order of time.
func (l *load) arrive(atUS, cost int64) {
	for l.first < len(l.recent) && l.recent[l.first].atUS <= atUS-secondUS {
		l.sum -= l.recent[l.first].cost
		l.first++
	}
	if l.first >= 64 && 2*l.first >= len(l.recent) {
		l.recent = l.recent[:copy(l.recent, l.recent[l.first:])]
		l.first = 0
	}
	if n := len(l.recent); n > l.first && l.recent[n-1].atUS == atUS {
		l.recent[n-1].cost += cost
	} else {
		l.recent = append(l.recent, request{atUS, cost})
	}
	l.sum += cost
	l.most = max(l.most, l.sum)
}

// rest lets what waits leave, and begins a stretch that has nothing to do with the one before.
func (l *load) rest() {
	l.until(1<<63 - 1)
	*l = load{most: l.most, recent: l.recent[:0], waiting: l.waiting[:0]}
}

// departures are in a heap, the next first.
type departures []request

func (d departures) Len() int           { return len(d) }
func (d departures) Less(i, j int) bool { return d[i].atUS < d[j].atUS }
func (d departures) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }

// Push implements heap.Interface.
func (d *departures) Push(x any) { *d = append(*d, x.(request)) }

// Pop implements heap.Interface.
func (d *departures) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}
