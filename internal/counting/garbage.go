package counting

import (
	"context"
	"errors"

	"ratelab/internal/redis"
)

// Lua's garbage collector causes most of the difference between two counts of the same script. It works in steps, and a
// server starts a step after every fiftieth script. The time and the length of the next step depend on all scripts that
// ran before. So the collector is stopped during a count, and a full collection runs at the end. Each count includes
// the collection of its own garbage and nothing else.
//
// A collection without garbage is counted separately and subtracted. So the count does not include the search for the
// objects that are still in use.
const collect = "collectgarbage('collect') collectgarbage('stop') return 1"

// collectorPeriod is the number of scripts after which a server starts its collector, even if the collector is stopped.
// Our own scripts start a collection three times per count. The decisions must fit in between.
const (
	collectorPeriod = 50
	collections     = 3
)

// collect makes the server's Lua collect its garbage, and then stops the collector.
func (r *counter) collect(ctx context.Context) error {
	err := r.counted.Client.Eval(ctx, collect, nil).Err()
	return redis.Explain(err, r.counted.Server)
}

// tidy makes the server's Lua collect its garbage, and returns the counts of a second collection, without garbage.
// After tidy, the script may run until the server starts its own next collection.
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

// align runs empty scripts until the server's collector has just run.
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

// errDisturbed means that the server's own collector ran during a count.
var errDisturbed = errors.New("the server does not run Lua's garbage collector at every fiftieth script")

// mostUnseen limits the attempts to avoid errDisturbed.
const mostUnseen = 4 * collectorPeriod

// disturbed reports whether the server's own collector ran during a count. Then the assumption of align, after which
// scripts the collector runs, was wrong. disturbed shifts the assumption by the number of scripts that still fit
// between two runs of the collector.
func (r *counter) disturbed(counted, tidied counts) bool {
	if counted.Collections == tidied.Collections {
		return false
	}
	r.unseen += collectorPeriod - decisions - collections
	return true
}
