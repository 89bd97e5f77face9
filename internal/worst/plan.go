package worst

import "slices"

// plan is what an adversary does to one key who sees the replies: the clock's phase at the beginning, and moves.
type plan struct {
	shiftUS int64 // after the epoch
	moves   []move
}

func (p plan) clone() plan { return plan{p.shiftUS, slices.Clone(p.moves)} }

// move waits, and then asks.
type move struct {
	after  anchor
	waitUS int64 // from the anchor; may be negative, and never leads back in time

	count int64 // requests at that instant; everything: until one is rejected
	forUS int64 // not 0: goes on for so long, asking for everything whenever a reply promised something
	full  bool  // goes on only when the full burst is back, and once more in the last microsecond
	costs costs
	ms    bool // goes by the whole millisecond before the promised time, where keys live by milliseconds
}

// everything is the count of a move that asks until it is rejected.
const everything = 1 << 40

// anchor is what the time of a move is counted from.
type anchor int8

const (
	fromBefore anchor = iota // the time of the request before
	fromReset                // when the last reply said that the full burst would be back
	fromRetry                // when the last rejection said that its request would pass
)

// costs is how the requests of a move spend.
type costs int8

const (
	single    costs = iota // each costs 1
	largest                // each costs the most
	finishing              // each costs 1, but the last that passes as much as passes in its place
	finished               // the first time as finishing, and then largest
)
