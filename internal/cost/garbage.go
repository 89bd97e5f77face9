package cost

import (
	"context"
	"errors"

	"ratelab/internal/callgrind"
	"ratelab/internal/redisserver"
	"ratelab/internal/serverstats"
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
func (r *run) collect(ctx context.Context) error {
	err := r.counted.Client.Eval(ctx, collect, nil).Err()
	return redisserver.Explain(err, r.counted.Server)
}

// tidy has the server's Lua collect its garbage. It returns what that takes where there is none. From here on so many
// scripts may run as fit between two of the server's own collections.
func (r *run) tidy(ctx context.Context) (callgrind.Counts, error) {
	if err := r.align(ctx); err != nil {
		return callgrind.Counts{}, err
	}
	if err := r.collect(ctx); err != nil {
		return callgrind.Counts{}, err
	}
	return r.counted.Count(ctx, func() error { return r.collect(ctx) })
}

// align runs scripts that do nothing until the server's collector has just had its turn.
func (r *run) align(ctx context.Context) error {
	now, err := serverstats.Read(ctx, r.counted.Client)
	if err != nil {
		return redisserver.Explain(err, r.counted.Server)
	}
	ran := now.Commands["eval"].Calls + now.Commands["evalsha"].Calls + r.unseen
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
func (r *run) disturbed(counted, tidied callgrind.Counts) bool {
	if counted.Collections == tidied.Collections {
		return false
	}
	r.unseen += collectorPeriod - decisions - collections
	return true
}
