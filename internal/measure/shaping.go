package measure

import (
	"container/heap"
	"maps"
	"slices"

	"ratelab/internal/limit"
)

// Shaping describes a limiter that delays requests. An admitted request counts when it leaves: the peaks, the course
// over time, the time scales and the excess are those of the departures.
type Shaping struct {
	// DelayUS is the time from an admitted request's arrival to its departure. Requests without a delay are included.
	DelayUS Percentiles `json:"delay_us"`
}

// departure is an admitted request with the time when it leaves.
type departure struct {
	limit.Request
	number   int64
	leavesUS int64
}

// shaping holds the requests that have been admitted and have not left.
type shaping struct {
	waiting queue
	order   int64
	delays  Delays
	lastUS  int64 // when the last one leaves
}

func (s *shaping) admit(a departure) {
	delay := a.leavesUS - a.AtUS
	s.delays[delay]++
	s.lastUS = max(s.lastUS, a.leavesUS)
	if delay > 0 {
		s.order++
		heap.Push(&s.waiting, queued{a, s.order})
	}
}

// next returns the request that leaves first, if it leaves by atUS.
func (s *shaping) next(atUS int64) (departure, bool) {
	if len(s.waiting) == 0 || s.waiting[0].leavesUS > atUS {
		return departure{}, false
	}
	return heap.Pop(&s.waiting).(queued).departure, true
}

// Delays counts the admitted requests by their delay in µs. Those of disjoint keys can be added.
type Delays map[int64]int64

func (d Delays) plus(o Delays) Delays {
	sum := maps.Clone(d)
	for us, n := range o {
		sum[us] += n
	}
	return sum
}

// Shaping returns nil if there are no delays.
func (d Delays) Shaping() *Shaping {
	if d == nil {
		return nil
	}
	var total int64
	for _, n := range d {
		total += n
	}
	ascending := slices.Sorted(maps.Keys(d))
	at := func(percent int64) int64 {
		rank := (percent*total + 99) / 100 // the nearest rank
		for _, us := range ascending {
			if rank -= d[us]; rank <= 0 {
				return us
			}
		}
		return ascending[len(ascending)-1]
	}
	return &Shaping{DelayUS: Percentiles{P50: at(50), P99: at(99), Max: at(100)}}
}

// queue is a heap of waiting requests, ordered by departure. Among equals, the first admitted comes first.
type queue []queued

type queued struct {
	departure
	order int64
}

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	return q[i].leavesUS < q[j].leavesUS || q[i].leavesUS == q[j].leavesUS && q[i].order < q[j].order
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(queued)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
