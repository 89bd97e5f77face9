package limits

import "ratelab/internal/limit"

// exact is the exact limiter of one limit: a window, or a bucket that counts as in the function bucket. Clients with
// the same part of the key share its state. Unlike a rule, it decides the requests of all clients, in the order of the
// log.
type exact struct {
	limit.Limit
	parts  []int32 // by client: the number of its part of the key
	used   []int64 // by part: the admitted cost in the window, or the bucket's level, in units
	unit   int64   // the number of units of one token
	perUS  int64   // how much a bucket's level falls per µs, in units; 0 for a window
	most   int64   // the most tokens that used may have
	lastUS []int64 // by part: the time of the bucket's level
	oldest cursor  // the oldest request in the window
}

// exact returns the exact limiter of a limit. It returns an error if a key does not have the limit's part.
func (l *Log) exact(one limit.Limit) (*exact, error) {
	e := &exact{Limit: one, unit: 1, most: one.Requests}
	l.next(&e.oldest)
	if one.Contract == limit.ByBucket {
		e.unit, e.perUS = one.Interval()
		e.most = one.Capacity()
	}
	index := map[string]int32{}
	for i := range l.clients {
		view, err := one.View(limit.Request{Key: l.clients[i].key})
		if err != nil {
			return nil, err
		}
		if _, known := index[view.Key]; !known {
			index[view.Key] = int32(len(index))
		}
		e.parts = append(e.parts, index[view.Key])
	}
	e.used, e.lastUS = make([]int64, len(index)), make([]int64, len(index))
	return e, nil
}

// counts returns how many tokens a request counts.
func (e *exact) counts(q request) int64 {
	if e.CountsRequests {
		return 1
	}
	return q.cost
}

// hasRoom reports whether the limit admits a client's request. Only earlier requests that all limits admitted count.
func (e *exact) hasRoom(l *Log, q request, client int32, refused []limit.Each) bool {
	part := e.parts[client]
	lost, _ := limit.Quotient(q.atUS-e.lastUS[part], e.perUS, 1, e.used[part])
	e.used[part] -= lost
	e.lastUS[part] = q.atUS
	for e.perUS == 0 && e.oldest.atUS <= q.atUS-e.WindowUS() {
		if refused[e.oldest.place] == 0 {
			e.used[e.parts[l.owners[e.oldest.place]]] -= e.counts(e.oldest.request)
		}
		l.next(&e.oldest)
		e.oldest.place++
	}
	return e.counts(q) <= e.most-(e.used[part]+e.unit-1)/e.unit
}

// refusals lets the exact limiter of these limits decide all requests. It returns the limits that refuse each request,
// by place. The exact limiter admits a request if each limit has room, and then charges all limits.
func (l *Log) refusals(limits []limit.Limit) ([]limit.Each, error) {
	all := make([]*exact, len(limits))
	for i, one := range limits {
		var err error
		if all[i], err = l.exact(one); err != nil {
			return nil, err
		}
	}
	if l.owners == nil {
		l.owners = make([]int32, l.Requests)
		for i := range l.clients {
			for _, q := range l.of(&l.clients[i]) {
				l.owners[q.place] = int32(i)
			}
		}
	}
	refused := make([]limit.Each, l.Requests)
	var at cursor
	for place, client := range l.owners {
		l.next(&at)
		for i, e := range all {
			if !e.hasRoom(l, at.request, client, refused) {
				refused[place] |= 1 << i
			}
		}
		for _, e := range all {
			if refused[place] == 0 {
				e.used[e.parts[client]] += e.counts(at.request) * e.unit
			}
		}
	}
	return refused, nil
}
