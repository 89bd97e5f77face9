package worst

import "ratelab/internal/limit"

// blocks are requests of one cost at one instant, several of which are asked for as one that costs as much as all of
// them. At 1000000 requests an hour that is what makes a search feasible.
//
// A block stands for its requests only where the model would have admitted each of them, and is left in the same state.
// A bucket that lends gives more to one request than to many, and says so as what remains. So a copy of the model is
// asked for the block first, and then for one request more: where that passes, the block took nothing in advance. The
// state is not looked at, but Search asks for its whole answer one by one.
type blocks struct {
	search *search
	cost   int64
	most   int64 // requests in a block; half as many whenever it was too large
}

func (s *search) blocks(cost int64) blocks { return blocks{s, cost, 1 << 62} }

// smallestBlock is that from which on a block takes fewer decisions than its requests.
const smallestBlock = 8

// next is how many of so many requests to ask l for at once, at an instant at which it has just said what remains.
func (b *blocks) next(l limit.Limiter, atUS, requests, remaining int64) int64 {
	model, ok := l.(limit.Forker)
	if !ok || b.search.units {
		return 1
	}
	b.most = min(b.most, requests, remaining/b.cost-1)
	for ; b.most >= smallestBlock; b.most /= 2 {
		if b.leavesSome(model.Fork(keyName), atUS) {
			return b.most
		}
	}
	return 1
}

// leavesSome reports whether another request passes after the block.
func (b *blocks) leavesSome(l limit.Limiter, atUS int64) bool {
	for _, cost := range []int64{b.most * b.cost, b.cost} {
		if d, ok := b.search.ask(l, atUS, cost); !ok || !d.Allowed() {
			return false
		}
	}
	return true
}
