package virtualtime

import (
	"context"
	"slices"

	"ratelab/internal/resp"
)

// chunksPerTrip is the number of chunks that are sent together. One round trip for each chunk would be slow on a
// distant server.
const chunksPerTrip = 32

// inChunks sends one command for each chunk of keys, and passes the replies to read in order. The error is the
// connection's, a resp.ReplyError, read's, or ctx's cause.
func (r *Runner) inChunks(ctx context.Context, keys []string, command func(chunk []string) []any,
	read func(chunk []string, reply resp.Value) error) error {
	together := chunksPerTrip
	if r.server.Embedded {
		together = 1
	}
	for trip := range slices.Chunk(keys, together*sweepChunk) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunks := slices.Collect(slices.Chunk(trip, sweepChunk))
		var commands [][]any
		for _, chunk := range chunks {
			commands = append(commands, command(chunk))
		}
		replies, err := Send(ctx, r.server.Client, commands...)
		if err != nil {
			return err
		}
		for i, chunk := range chunks {
			if err := read(chunk, replies[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Send sends commands together and returns their replies. If a reply is an error, Send returns it as a resp.ReplyError.
func Send(ctx context.Context, client Client, commands ...[]any) ([]resp.Value, error) {
	data, err := client.Send(ctx, commands...)
	if err != nil {
		return nil, err
	}
	replies := make([]resp.Value, len(data))
	for i := range data {
		if replies[i], err = resp.Read(data[i]); err != nil {
			return nil, err
		}
		if replies[i].Kind == resp.Error {
			return nil, resp.ReplyError(replies[i].Text)
		}
	}
	return replies, nil
}

// words converts texts to arguments of a command.
func words(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
