package measure

// Ledger adds up cost for each key of a run, by the number that a KeySet gave it.
type Ledger struct{ cost []int64 }

// Add adds to a key's cost.
func (l *Ledger) Add(number, cost int64) {
	for number >= int64(len(l.cost)) {
		l.cost = append(l.cost, 0)
	}
	l.cost[number] += cost
}

// Cost is the sum of a key; 0 of a key that was never added.
func (l *Ledger) Cost(number int) int64 {
	if number >= len(l.cost) {
		return 0
	}
	return l.cost[number]
}

// Less is l minus other, key by key.
func (l *Ledger) Less(other *Ledger) *Ledger {
	left := &Ledger{cost: make([]int64, len(l.cost))}
	for i := range l.cost {
		left.cost[i] = l.Cost(i) - other.Cost(i)
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

// lost is the cost that an exact limiter admitted and a row did not, key by key: what one key got beyond its due does
// not make up for what another lacks.
func lost(exact, admitted *Ledger) (cost int64) {
	for i := range exact.cost {
		cost += max(0, exact.Cost(i)-admitted.Cost(i))
	}
	return cost
}
