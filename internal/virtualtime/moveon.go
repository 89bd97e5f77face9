package virtualtime

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"sync"
	"time"
)

// On a server that is not ours the keys of a killed run must not stay for long, and those of a living one must not
// expire. The virtual present lies Margin before the real deadline that belongs to it, and however long the run takes,
// every few minutes all deadlines are moved on by the time that has passed.

//go:embed moveon.lua
var moveOnSource string

// Margin is how far ahead of the real present a shared server's virtual start lies: so long a key of a killed run stays
// beyond the virtual time that had passed and its own TTL, and so long the run may stand still before it loses keys.
const Margin = 10 * time.Minute

// moveEvery is how often deadlines are moved on: often enough that a slow batch, or a lane that has to wait for the
// others, takes no more than what is left of Margin.
const moveEvery = 3 * time.Minute

// isDue reports whether it is time to move the deadlines on.
func (r *Runner) isDue() bool {
	return r.server.Shared && r.options.Elapsed != nil && r.elapsed()-r.movedAt >= moveEvery
}

// moveOn moves all deadlines on by the time that has passed since the last time. No round may be on its way. The error
// is a *LostError where keys have expired already.
func (r *Runner) moveOn(ctx context.Context) error {
	r.stood = r.elapsed() - r.movedAt
	delta := r.stood.Milliseconds()
	keys := r.keys()
	found, err := r.ask(ctx, moveOnSource, keys, delta, r.keepMS+delta)
	if err != nil {
		return err
	}
	r.offsetMS += delta
	r.keepMS += delta
	r.movedAt += time.Duration(delta) * time.Millisecond
	err = r.missing(keys, found)
	r.stood = 0
	return err
}

// keys are those that the scripts have left, and the sentinel.
func (r *Runner) keys() []string {
	keys := slices.Collect(maps.Keys(r.living.deadline))
	if r.planted {
		keys = append(keys, r.options.Sentinel)
	}
	return keys
}

// missing forgets the keys that were not found, and fails where one of them must be alive.
func (r *Runner) missing(keys, found []string) error {
	var lost []string
	var sentinel bool
	for i, key := range keys {
		switch {
		case found[i] == "":
			continue
		case r.planted && key == r.options.Sentinel:
			sentinel = true
		case r.living.lives(key, r.readUS/1000):
			lost = append(lost, key)
		}
		r.living.remove(key)
	}
	if lost != nil || sentinel {
		return r.lost(lost)
	}
	return nil
}

// Company are the Runners on one server that is not ours. They decide in turns, and whoever does moves on the deadlines
// of those that wait too. nil will do for a Runner that is alone.
type Company struct {
	mu  sync.Mutex
	all []*Runner
}

func (c *Company) join(r *Runner) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, r)
}

func (c *Company) leave(r *Runner) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(other *Runner) bool { return other == r })
}

// moveOn moves on the deadlines of those that wait. What goes wrong is the waiting one's, and its next Decide says so.
func (c *Company) moveOn(ctx context.Context) {
	if c == nil {
		return
	}
	c.mu.Lock()
	all := slices.Clone(c.all)
	c.mu.Unlock()
	for _, r := range all {
		if !r.busy.TryLock() {
			continue // it decides, and sees to it itself
		}
		if r.failed == nil && r.isDue() {
			r.failed = r.moveOn(ctx)
		}
		r.busy.Unlock()
	}
}
