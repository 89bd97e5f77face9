package virtualtime

import (
	"context"
	"strconv"

	"ratelab/internal/resp"
)

// Command is a plain command, or a script, at a time of its own.
type Command struct {
	AtUS int64 // since 1970
	Args []string
}

// One sends a command at its time. An error that the server replies is the reply.
func (h *Hook) One(ctx context.Context, client Client, c Command) (resp.Value, error) {
	return h.send(ctx, client, h.Rewrite(c.AtUS, c.Args))
}

// Several sends plain commands, between which the clock never steps back, in one EVAL: it takes a tenth of what they
// take one by one. There is a reply for each command, down to the first that is an error.
func (h *Hook) Several(ctx context.Context, client Client, commands []Command) ([]resp.Value, error) {
	source, err := h.wrap(wrapping{source: oneCommand, caller: severalSource})
	if err != nil {
		return nil, err
	}
	args := []string{"EVAL", source, "0"}
	for _, c := range commands {
		args = append(args, strconv.FormatInt(c.AtUS, 10), strconv.Itoa(len(c.Args)))
		args = append(args, c.Args...)
	}
	reply, err := h.send(ctx, client, h.stamped(0, args))
	if err == nil && reply.Kind == resp.Error {
		err = resp.ReplyError(reply.Text)
	}
	return reply.Items, err
}

// send sends what has been rewritten.
func (h *Hook) send(ctx context.Context, client Client, args []string) (resp.Value, error) {
	data, err := client.Send(ctx, words(args))
	if err != nil {
		return resp.Value{}, err
	}
	return resp.Read(data[0])
}
