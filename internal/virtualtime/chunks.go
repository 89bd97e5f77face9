package virtualtime

import (
	"context"
	"fmt"
	"slices"

	"ratelab/internal/message"

	"github.com/redis/go-redis/v9"
)

// chunksPerTrip is how many chunks of keys travel together, so that a far server is not asked for each of them.
const chunksPerTrip = 32

// inChunks sends a command for every few keys, and shows each chunk's answer to read, unless that is nil, in order.
func (r *Runner) inChunks(ctx context.Context, keys []string, command func(redis.Cmdable, []string) redis.Cmder,
	read func(chunk []string, answer redis.Cmder) error) error {
	together := chunksPerTrip
	if r.server.Embedded {
		together = 1
	}
	for trip := range slices.Chunk(keys, together*sweepChunk) {
		if r.stopped() {
			return message.ErrStopped
		}
		pipe := r.server.Client.Pipeline()
		for chunk := range slices.Chunk(trip, sweepChunk) {
			command(pipe, chunk)
		}
		answers, err := pipe.Exec(ctx)
		if err != nil {
			return err
		}
		for chunk := range slices.Chunk(trip, sweepChunk) {
			if read != nil {
				if err := read(chunk, answers[0]); err != nil {
					return err
				}
			}
			answers = answers[1:]
		}
	}
	return nil
}

// ask runs a script over keys, whose reply has one text for each.
func (r *Runner) ask(ctx context.Context, source string, keys []string, args ...any) ([]string, error) {
	var all []string
	eval := func(pipe redis.Cmdable, chunk []string) redis.Cmder { return pipe.Eval(ctx, source, chunk, args...) }
	err := r.inChunks(ctx, keys, eval, func(chunk []string, answer redis.Cmder) error {
		found, err := answer.(*redis.Cmd).StringSlice()
		if err == nil && len(found) != len(chunk) {
			err = fmt.Errorf("looking at %d keys brought %d answers", len(chunk), len(found))
		}
		all = append(all, found...)
		return err
	})
	return all, err
}
