package virtualtime

import (
	"context"
	_ "embed"
	"maps"
	"slices"
)

//go:embed handover.lua
var handOverSource string

// HandOver leaves the keys to the server's own clock: each gets the deadline there that it has in virtual time, and is
// gone where that is past. Scripts as they are deployed can go on from there, provided that Options.Start is an instant
// of that clock, which reaches the last decision's time only now. The Runner decides nothing from then on; Close
// deletes what is left of its keys. The error is a *LostError where one was gone that must be alive.
func (r *Runner) HandOver(ctx context.Context) error {
	r.busy.Lock()
	defer r.busy.Unlock()
	if r.failed != nil {
		return r.failed
	}
	if err := r.drain(ctx); err != nil {
		return err
	}
	r.options.Company.leave(r)
	keys := slices.Collect(maps.Keys(r.living.deadline))
	found, err := r.ask(ctx, handOverSource, keys, r.offsetMS, r.keepText())
	if err != nil {
		return err
	}
	return r.missing(keys, found)
}

// Introduced are the clients for whom init has been called.
func (r *Runner) Introduced() []string { return slices.Sorted(maps.Keys(r.ready)) }
