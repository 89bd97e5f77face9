package virtualtime

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ratelab/internal/message"
	"ratelab/internal/resp"
)

// chunksPerTrip is how many chunks of keys travel together, so that a far server is not asked for each of them.
const chunksPerTrip = 32

// inChunks sends a command for every few keys, and shows each chunk's reply to read in order. The error is the
// connection's, a resp.ReplyError or read's.
func (r *Runner) inChunks(ctx context.Context, keys []string, command func(chunk []string) []any,
	read func(chunk []string, reply resp.Value) error) error {
	together := chunksPerTrip
	if r.server.Embedded {
		together = 1
	}
	for trip := range slices.Chunk(keys, together*sweepChunk) {
		if r.stopped() {
			return message.ErrStopped
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

// Send sends commands together, and gives their replies, none of which may be an error.
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

// ask runs a script over keys, whose reply has one text for each.
func (r *Runner) ask(ctx context.Context, source string, keys []string, args ...any) ([]string, error) {
	var all []string
	eval := func(chunk []string) []any {
		return slices.Concat([]any{"EVAL", source, strconv.Itoa(len(chunk))}, words(chunk), args)
	}
	err := r.inChunks(ctx, keys, eval, func(chunk []string, reply resp.Value) error {
		if len(reply.Items) != len(chunk) {
			return fmt.Errorf("looking at %d keys brought %d answers", len(chunk), len(reply.Items))
		}
		for _, item := range reply.Items {
			all = append(all, item.Text)
		}
		return nil
	})
	return all, err
}

// words are texts as arguments of a command.
func words(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
