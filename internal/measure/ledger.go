package measure

// Ledger adds up requests and their cost for each key of a run, by the number that a KeySet gave it.
type Ledger struct {
	cost     []int64
	requests []int64 // nil while every cost was 1: then they are the same
}

// Add counts one request of a key.
func (l *Ledger) Add(number, cost int64) {
	if cost != 1 && l.requests == nil {
		l.requests = append(make([]int64, 0, cap(l.cost)), l.cost...)
	}
	for number >= int64(len(l.cost)) {
		l.cost = append(l.cost, 0)
		if l.requests != nil {
			l.requests = append(l.requests, 0)
		}
	}
	l.cost[number] += cost
	if l.requests != nil {
		l.requests[number]++
	}
}

// Cost is what a key has come to; 0 for one that was never added.
func (l *Ledger) Cost(number int) int64 {
	if number >= len(l.cost) {
		return 0
	}
	return l.cost[number]
}

// Requests is how many requests of a key were added.
func (l *Ledger) Requests(number int) int64 {
	switch {
	case l.requests == nil:
		return l.Cost(number)
	case number >= len(l.requests):
		return 0
	}
	return l.requests[number]
}

// Less is what is left of l without what is in other.
func (l *Ledger) Less(other *Ledger) *Ledger {
	left := &Ledger{cost: make([]int64, len(l.cost)), requests: make([]int64, len(l.cost))}
	for i := range l.cost {
		left.cost[i], left.requests[i] = l.Cost(i)-other.Cost(i), l.Requests(i)-other.Requests(i)
	}
	return left
}

// total is the cost of all keys.
func (l *Ledger) total() (cost int64) {
	for _, c := range l.cost {
		cost += c
	}
	return cost
}

// shortfall is what an exact limiter let through and a row did not, added up over the keys for which that is something:
// what one key got beyond its due does not make up for what another lacks.
func shortfall(exact, within *Ledger) (requests, cost int64) {
	for i := range exact.cost {
		requests += max(0, exact.Requests(i)-within.Requests(i))
		cost += max(0, exact.Cost(i)-within.Cost(i))
	}
	return requests, cost
}
