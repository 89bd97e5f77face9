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

// sweepChunk limits one sweeping EVAL to about a millisecond of the server's time.
const sweepChunk = 500

// sweep deletes expired keys if there are many. A pending round lies later in virtual time. So keys that have expired
// now have also expired for the round. Keys that the round creates have later deadlines. The recorded state of these
// keys may then come from before or after the round. So they are marked as unsure, and the round's report cannot
// declare them lost.
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

// inspect updates the recorded deadlines of keys, and deletes the keys whose deadlines have passed at nowMS. It returns
// a *LostError if a key is missing that must be alive at nowMS.
func (r *Runner) inspect(ctx context.Context, keys []string, nowMS int64) error {
	args := []any{strconv.FormatInt(nowMS+r.offsetMS, 10), r.keep}
	eval := func(chunk []string) []any {
		return slices.Concat([]any{"EVAL", sweepSource, strconv.Itoa(len(chunk))}, words(chunk), args)
	}
	var missing []string
	err := r.inChunks(ctx, keys, eval, func(chunk []string, reply resp.Value) error {
		if len(reply.Items) != len(chunk) {
			return fmt.Errorf("the server inspected %d keys, but sent %d answers", len(chunk), len(reply.Items))
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

// Left describes the script's keys at a virtual time.
type Left struct {
	Keys       int64
	WithoutTTL int64
	EndUS      int64 // when the last key with a TTL expires, since the start; 0: no key has a TTL
	Bytes      int64 // MEMORY USAGE with SAMPLES 0, summed over all keys; 0 if it was not requested
}

// Left counts the keys that are alive at atUS since the start. The server's clock has the error of the last request. If
// bytes is true, Left also measures the keys' memory, which only a real server can report. It returns a *LostError if a
// key is missing that must be alive. So a run detects at its end, at the latest, that its keys were deleted.
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

// Names returns the sorted names of the keys that the script has left. They include the prefixes of the server and the
// program.
func (r *Runner) Names() []string { return slices.Sorted(maps.Keys(r.living.deadline)) }

// Close deletes the keys that the scripts have left, and no others. It stops after the current chunks if ctx is done;
// call Close again to delete the rest. A started call is always waited for, because a busy server replies late. Close
// first reads the replies that a cancelled Decide has left.
func (r *Runner) Close(ctx context.Context) error {
	call := context.WithoutCancel(ctx)
	_ = r.drain(call) // if the connection is lost, deleting returns the same error
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

// Unanswered reports whether a batch is pending. The server may still decide it.
func (r *Runner) Unanswered() bool { return len(r.pending) > 0 }
