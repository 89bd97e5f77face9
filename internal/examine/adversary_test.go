package examine

import "ratelab/internal/limit"

// plan is what an adversary does to one key who sees the replies: the clock's phase at the beginning, and moves.
type plan struct {
	shiftUS int64 // after the epoch
	moves   []move
}

// move waits, and then asks.
type move struct {
	waitUS int64 // since the request before; may be negative, and never leads back in time
	reset  bool  // since when the last reply said that the full burst would be back

	count int64 // requests at that instant; everything: until one is rejected
	forUS int64 // not 0: goes on for so long, asking for everything whenever a reply promised something
	full  bool  // goes on only when the full burst is back, and once more in the last microsecond
	costs costs
	ms    bool // goes by the whole millisecond before the promised time, where keys live by milliseconds
}

// everything is the count of a move that asks until it is rejected.
const everything = 1 << 40

// costs is how the requests of a move spend.
type costs int8

const (
	single    costs = iota // each costs 1
	largest                // each costs the most
	finishing              // each costs 1, but the last that passes as much as passes in its place
	finished               // the first time as finishing, and then largest
)

// played is what a plan did: all that was admitted, and the most of it in one interval.
type played struct {
	shiftUS  int64
	admitted []Strike
	peak     int64
}

// player carries out one plan. Rejected requests are forgotten: without them every decision is the same.
type player struct {
	search  *search
	limiter limit.Model
	startUS int64 // on the clock
	nowUS   int64 // since then
	last    limit.Decision
	begun   bool // something was asked
	ended   bool // the budget is spent

	admitted []Strike
	requests int64 // that were admitted
}

func (s *search) play(p plan) played {
	l := &player{search: s, limiter: s.Limiter.NewModel(), startUS: epochUS + p.shiftUS}
	for _, m := range p.moves {
		if l.ended {
			break
		}
		l.move(m)
	}
	most, _ := highest(l.admitted, s.WithinUS)
	return played{p.shiftUS, l.admitted, most}
}

func (l *player) move(m move) {
	at := l.nowUS + m.waitUS
	if m.reset {
		at += l.last.ResetAfterUS
	}
	if l.begun {
		l.nowUS = max(at, l.nowUS)
	}
	switch {
	case m.forUS > 0 && m.full:
		l.refill(m)
		return
	case m.forUS > 0:
		l.saturate(m)
		return
	}
	l.take(m.count, m.costs)
}

// patience is how many rejections in a row end a stretch.
const patience = 12

// refill takes all there is whenever the full burst is back, and what there is of it in the last microsecond.
func (l *player) refill(m move) {
	last := l.nowUS + m.forUS - 1
	for !l.ended {
		if l.take(everything, m.costs) > 0 && m.costs == finished {
			m.costs = largest
		}
		if l.nowUS >= last || l.last.RetryAfterUS == limit.Never {
			return
		}
		l.nowUS = min(last, l.nowUS+max(1, l.last.RetryAfterUS, l.last.ResetAfterUS))
	}
}

// saturate takes all there is, whenever a reply promised that there would be something.
func (l *player) saturate(m move) {
	end := l.nowUS + m.forUS
	for inVain := 0; inVain < patience && !l.ended; inVain++ {
		if l.take(everything, m.costs) > 0 {
			inVain = 0
			if m.costs == finished {
				m.costs = largest
			}
		}
		next := l.promised(m, inVain)
		if l.last.RetryAfterUS == limit.Never || next >= end {
			return
		}
		l.nowUS = next
	}
}

// promised is when to ask again: when the reply said, or, if that was in vain, when a clock that counts in ms or in
// seconds moves on.
func (l *player) promised(m move, inVain int) int64 {
	switch inVain % 3 {
	case 1:
		return l.border(l.nowUS+1, 1000, true)
	case 2:
		return l.border(l.nowUS+1, 1_000_000, true)
	}
	next := l.nowUS + max(1, l.last.RetryAfterUS)
	if m.ms {
		return max(l.nowUS+1, l.border(next, 1000, false))
	}
	return next
}

// border is the multiple of stepUS on the clock before atUS, or after it.
func (l *player) border(atUS, stepUS int64, after bool) int64 {
	rest := (l.startUS + atUS) % stepUS
	if rest != 0 && after {
		rest -= stepUS
	}
	return atUS - rest
}

// take asks for count requests at this instant, until one is rejected, and says how many were admitted.
func (l *player) take(count int64, c costs) (admitted int64) {
	cost := int64(1)
	if c == largest {
		cost = l.search.LargestCost
	}
	admitted = l.askFor(count, cost)
	if admitted >= 2 && l.search.LargestCost > 1 && (c == finishing || c == finished) && !l.ended {
		l.finish()
	}
	return admitted
}

// askFor makes up to so many requests of one cost at this instant, until one is rejected, and says how many were
// admitted.
func (l *player) askFor(count, cost int64) (admitted int64) {
	most := int64(1 << 62) // requests in a block; half as many whenever it was too large
	for n := int64(1); admitted < count && l.askBlock(n, cost); {
		admitted += n
		may := min(count-admitted, l.search.mostRequests()-l.requests)
		n, most = l.block(cost, min(most, may, l.last.Remaining/cost-1))
	}
	return admitted
}

// smallestBlock is that from which on a block takes fewer decisions than its requests.
const smallestBlock = 8

// block is how many requests of one cost at this instant, at most so many, to ask for as one that costs as much as all
// of them. At 1000000 requests an hour that is what makes a search feasible.
//
// A block stands for its requests only where the model would have admitted each of them, and is left in the same state.
// A bucket that lends gives more to one request than to many, and says so as what remains. So a copy of the model is
// asked for the block first, and then for one request more: where that passes, the block took nothing in advance. The
// state is not looked at, but Search asks for its whole answer one by one.
func (l *player) block(cost, most int64) (requests, next int64) {
	for ; !l.search.units && most >= smallestBlock; most /= 2 {
		if l.leavesSome(l.limiter.Fork(keyName), most, cost) {
			return most, most
		}
	}
	return 1, most
}

// leavesSome reports whether another request passes after the block.
func (l *player) leavesSome(copied limit.Model, requests, cost int64) bool {
	for _, cost := range []int64{requests * cost, cost} {
		if d, ok := l.search.ask(copied, l.startUS+l.nowUS, cost); !ok || !d.Allowed() {
			return false
		}
	}
	return true
}

// ask makes one request; it reports whether it was admitted.
func (l *player) ask(cost int64) bool { return l.askBlock(1, cost) }

// askBlock makes n requests at once, unless the budget is spent; it reports whether they were admitted.
func (l *player) askBlock(n, cost int64) bool {
	if l.requests+n > l.search.mostRequests() {
		l.ended, l.search.cut = true, true
		return false
	}
	d, ok := l.search.ask(l.limiter, l.startUS+l.nowUS, n*cost)
	if !ok {
		l.ended = true
		return false
	}
	l.last, l.begun = d, true
	if d.Allowed() {
		l.note(n, cost)
	}
	return d.Allowed()
}

func (l *player) note(count, cost int64) {
	l.requests += count
	if n := len(l.admitted); n > 0 && l.admitted[n-1].AtUS == l.nowUS && l.admitted[n-1].Cost == cost {
		l.admitted[n-1].Count += count
		return
	}
	l.admitted = append(l.admitted, Strike{l.nowUS, cost, count})
}

// finish puts the largest cost that passes in the place of the last request that was admitted; a model cannot go back,
// so everything is asked again. An algorithm that lends gives away more then.
func (l *player) finish() {
	history := l.admitted
	history[len(history)-1].Count--
	now := l.nowUS
	l.limiter, l.admitted, l.requests = l.search.Limiter.NewModel(), nil, 0
	for _, a := range history {
		l.nowUS = a.AtUS
		if l.askFor(a.Count, a.Cost) < a.Count {
			return
		}
	}
	l.nowUS = now
	if most := min(l.search.LargestCost, l.last.Remaining); most <= 1 || !l.ask(most) {
		l.ask(1)
	}
	l.ask(1) // a rejection, which says when to come back
}
