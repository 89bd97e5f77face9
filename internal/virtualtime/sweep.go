package virtualtime

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ratelab/internal/resp"
)

//go:embed sweep.lua
var sweepSource string

// sweepChunk bounds one sweeping EVAL to about a millisecond of the server.
const sweepChunk = 500

// sweep deletes expired keys when there are many. The round that is on its way meanwhile lies later in virtual time:
// whatever is dead now is dead to it, and whatever it makes anew has a later deadline. What is known of these keys may
// then come from before the round or from after it, and the round's own report must not be judged by that.
func (r *Runner) sweep(ctx context.Context, nowMS int64) error {
	if !r.living.crowded() {
		return nil
	}
	keys := r.living.expired(nowMS)
	if len(r.pending) > 0 {
		r.unsure = map[string]bool{}
		for _, key := range keys {
			r.unsure[key] = true
		}
	}
	err := r.inspect(ctx, keys, nowMS)
	r.living.swept = len(r.living.deadline)
	return err
}

// inspect brings what is known of keys up to date, and deletes those whose deadline has passed at nowMS. The error is a
// *LostError where one is gone that must be alive then.
func (r *Runner) inspect(ctx context.Context, keys []string, nowMS int64) error {
	args := []any{strconv.FormatInt(nowMS+r.offsetMS, 10), r.keep}
	eval := func(chunk []string) []any {
		return slices.Concat([]any{"EVAL", sweepSource, strconv.Itoa(len(chunk))}, words(chunk), args)
	}
	var missing []string
	err := r.inChunks(ctx, keys, eval, func(chunk []string, reply resp.Value) error {
		if len(reply.Items) != len(chunk) {
			return fmt.Errorf("looking at %d keys brought %d answers", len(chunk), len(reply.Items))
		}
		for i, key := range chunk {
			at, err := strconv.ParseInt(reply.Items[i].Text, 10, 64)
			switch {
			case err != nil:
				return err
			case at == gone && r.living.lives(key, nowMS):
				missing = append(missing, key)
			case at >= 0:
				at -= r.offsetMS
			}
			r.living.set(key, at)
		}
		return nil
	})
	return cmp.Or(err, lost(missing))
}

// Left is what the script's keys look like at some virtual time.
type Left struct {
	Keys       int64
	WithoutTTL int64
	EndUS      int64 // when the last one with a TTL expires, since the start; 0: none has one
	Bytes      int64 // MEMORY USAGE with SAMPLES 0, of all keys; 0 unless it was asked for
}

// Left counts the keys that are alive at atUS since the start, by the server's clock as it was off last; bytes asks for
// their memory too, which only a real server knows. The error is a *LostError where one is gone that must be alive
// then: at the latest here, a run learns that somebody deleted its keys.
func (r *Runner) Left(ctx context.Context, atUS int64, bytes bool) (Left, error) {
	if err := r.drain(ctx); err != nil {
		return Left{}, err
	}
	if err := r.inspect(ctx, r.Names(), (r.startUS+atUS+r.skewUS)/1000); err != nil {
		return Left{}, err
	}
	left := Left{Keys: int64(len(r.living.deadline))}
	for _, deadline := range r.living.deadline {
		if deadline == forever {
			left.WithoutTTL++
		} else {
			left.EndUS = max(left.EndUS, deadline*1000-r.startUS)
		}
	}
	if !bytes {
		return left, nil
	}
	for chunk := range slices.Chunk(r.Names(), sweepChunk) {
		var commands [][]any
		for _, key := range chunk {
			commands = append(commands, []any{"MEMORY", "USAGE", key, "SAMPLES", "0"})
		}
		replies, err := Send(ctx, r.server.Client, commands...)
		if err != nil {
			return left, err
		}
		for _, bytes := range replies {
			left.Bytes += bytes.Int
		}
	}
	return left, nil
}

// Names are the keys that the script has left, with the prefixes of the server and the program.
func (r *Runner) Names() []string { return slices.Sorted(maps.Keys(r.living.deadline)) }

// Close deletes the keys that the scripts have left, and nothing else, until ctx is done. What it has not deleted then
// it does when it is called again. A call that is under way is waited for, whether or not ctx is done, since a busy
// server answers late: first the answer that a cancelled Decide has left on its way.
func (r *Runner) Close(ctx context.Context) error {
	call := context.WithoutCancel(ctx)
	_ = r.drain(call) // where the connection is gone, deleting says so too
	return r.inChunks(call, slices.Collect(maps.Keys(r.living.deadline)),
		func(chunk []string) []any { return append([]any{"DEL"}, words(chunk)...) },
		func(chunk []string, _ resp.Value) error {
			for _, key := range chunk {
				r.living.set(key, gone)
			}
			if len(r.living.deadline) == 0 {
				return nil
			}
			return ctx.Err()
		})
}

// Unanswered reports whether a batch is on its way: the server may still decide it.
func (r *Runner) Unanswered() bool { return len(r.pending) > 0 }
