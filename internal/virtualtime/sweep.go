package virtualtime

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
)

//go:embed sweep.lua
var sweepSource string

// sweepChunk bounds one sweeping EVAL to about a millisecond of the server.
const sweepChunk = 500

// sweep deletes expired keys when there are many. The round that is on its way meanwhile lies later in virtual time:
// whatever is dead now is dead to it, and whatever it makes anew has a later deadline.
func (r *Runner) sweep(ctx context.Context, nowMS int64) error {
	if !r.living.crowded() {
		return nil
	}
	err := r.inspect(ctx, r.living.expired(nowMS), nowMS)
	r.living.swept = len(r.living.deadline)
	return err
}

// inspect brings what is known of keys up to date, and deletes those whose deadline has passed at nowMS.
func (r *Runner) inspect(ctx context.Context, keys []string, nowMS int64) error {
	for chunk := range slices.Chunk(keys, sweepChunk) {
		now := strconv.FormatInt(nowMS+r.offsetMS, 10)
		found, err := r.server.Client.Eval(ctx, sweepSource, chunk, now, r.keep).StringSlice()
		if err != nil {
			return err
		}
		if len(found) != len(chunk) {
			return fmt.Errorf("sweeping %d keys brought %d answers", len(chunk), len(found))
		}
		for i, key := range chunk {
			switch found[i] {
			case "-":
				delete(r.living.deadline, key)
			case "":
				r.living.set(key, forever)
			default:
				at, err := strconv.ParseInt(found[i], 10, 64)
				if err != nil {
					return err
				}
				r.living.set(key, at-r.offsetMS)
			}
		}
	}
	return nil
}

// Left is what the script's keys look like at some virtual time.
type Left struct {
	Keys       int64
	WithoutTTL int64
	Bytes      int64 // MEMORY USAGE with SAMPLES 0, of all keys; 0 unless it was asked for
}

// Left counts the keys that are alive at atUS since the start, by the server's clock as it was off last; bytes asks for their memory too, which only a real
// server knows.
func (r *Runner) Left(ctx context.Context, atUS int64, bytes bool) (Left, error) {
	if err := r.drain(ctx); err != nil {
		return Left{}, err
	}
	keys := slices.Sorted(maps.Keys(r.living.deadline))
	if err := r.inspect(ctx, keys, (r.startUS+atUS+r.skewUS)/1000); err != nil {
		return Left{}, err
	}
	left := Left{Keys: int64(len(r.living.deadline))}
	for _, deadline := range r.living.deadline {
		if deadline == forever {
			left.WithoutTTL++
		}
	}
	if !bytes {
		return left, nil
	}
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(r.living.deadline)), sweepChunk) {
		pipe := r.server.Client.Pipeline()
		for _, key := range chunk {
			pipe.MemoryUsage(ctx, key, 0)
		}
		cmds, err := pipe.Exec(ctx)
		if err != nil {
			return left, err
		}
		for _, cmd := range cmds {
			left.Bytes += cmd.(*redis.IntCmd).Val()
		}
	}
	return left, nil
}

// Close deletes the keys that the scripts have left, and nothing else. After a cancelled Decide it first waits for
// the answer that was on its way.
func (r *Runner) Close(ctx context.Context) error {
	_ = r.drain(ctx) // where the connection is gone, deleting says so too
	keys := slices.Collect(maps.Keys(r.living.deadline))
	for chunk := range slices.Chunk(keys, sweepChunk) {
		if err := r.server.Client.Del(ctx, chunk...).Err(); err != nil {
			return err
		}
	}
	r.living = newLiving()
	return nil
}
