package bench

import (
	"context"
	"slices"
	"time"
)

// stretchLength is how long one loop is measured before the others' turn comes again: a pair of 800 ms a side
// measured against itself varied by 25 % in one piece each, by 8 % in stretches of 100 ms, and by 5 % in these.
const stretchLength = 40 * time.Millisecond

// stretches is how many turns each of several loops has in a measurement of the length, and how long each is.
func stretches(length time.Duration) (turns int, each time.Duration) {
	turns = max(1, int(length/stretchLength))
	return turns, length / time.Duration(turns)
}

// inTurns measures all loops for the length, in turns: in the order given, then backwards, and so on.
func inTurns(ctx context.Context, loops []*closedLoop, order []int, length time.Duration) error {
	turns, each := stretches(length)
	order = slices.Clone(order)
	for range turns {
		for _, i := range order {
			if err := loops[i].stretch(ctx, each); err != nil {
				return loops[i].explain(err)
			}
		}
		slices.Reverse(order)
	}
	return nil
}

// endAll ends the loops that there are. It returns failed, or else its own first error.
func endAll(ctx context.Context, loops []*closedLoop, failed error) error {
	for _, l := range loops {
		if l == nil {
			continue
		}
		if err := l.end(ctx, nil); failed == nil {
			failed = err
		}
	}
	return failed
}
