package counting

import (
	"context"
	"errors"

	"ratelab/internal/redis"
)

// Lua's collector is the largest part of what two counts of one script differ by: it works in steps, a server starts
// one at every fiftieth script it runs, and when the next comes, and how long it is, depends on all that has been in
// that Lua before. So it is stopped while something is counted, and then made to collect everything: each decision is
// charged with the end of its own garbage, and with none of anybody else's.
//
// What a collection takes that finds nothing to collect is counted by itself, and taken off. What it takes to see which
// objects are still in use is therefore no part of a count.
const collect = "collectgarbage('collect') collectgarbage('stop') return 1"

// A server starts its collector by itself at every script of so many, whether it is stopped or not. It collects for us
// thrice around what is counted, so that decisions fit in between.
const (
	collectorPeriod = 50
	collections     = 3
)

// collect has the server's Lua collect its garbage, and stop.
func (r *counter) collect(ctx context.Context) error {
	err := r.counted.Client.Eval(ctx, collect, nil).Err()
	return redis.Explain(err, r.counted.Server)
}

// tidy has the server's Lua collect its garbage. It returns what that takes where there is none. From here on so many
// scripts may run as fit between two of the server's own collections.
func (r *counter) tidy(ctx context.Context) (counts, error) {
	err := r.align(ctx)
	if err == nil {
		err = r.collect(ctx)
	}
	if err != nil {
		return counts{}, err
	}
	return r.counted.count(ctx, func() error { return r.collect(ctx) })
}

// align runs scripts that do nothing until the server's collector has just had its turn.
func (r *counter) align(ctx context.Context) error {
	now, err := r.counted.Stats(ctx)
	if err != nil {
		return err
	}
	ran := now.EvalCalls + r.unseen
	pipe := r.counted.Client.Pipeline()
	for range (collectorPeriod - ran%collectorPeriod) % collectorPeriod {
		pipe.Eval(ctx, "return 1", nil)
	}
	if pipe.Len() == 0 {
		return nil
	}
	_, err = pipe.Exec(ctx)
	return err
}

// errDisturbed ends a count into which the server's own collector fell.
var errDisturbed = errors.New("the server collects its Lua's garbage at other times than every fiftieth script")

// mostUnseen is where errDisturbed is no longer tried to be avoided.
const mostUnseen = 4 * collectorPeriod

// disturbed reports whether the server's own collector fell into a count: then its turn comes at other scripts than was
// thought. That is looked for at others, which are as many further as still fit between two.
func (r *counter) disturbed(counted, tidied counts) bool {
	if counted.Collections == tidied.Collections {
		return false
	}
	r.unseen += collectorPeriod - decisions - collections
	return true
}
