package virtualtime

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Hook rewrites each command that a client sends, so that the command takes place at a virtual time. A script becomes
// the same script inside the prelude. A plain command becomes a script of one line. The replies are the server's own.
//
// WATCH, SUBSCRIBE, blocking commands, functions and commands that the prelude does not know return an error with their
// name. The errors and integers of a plain command pass through Lua, and an integer beyond 2^53 is an error. The hook
// does not delete its keys at the end.
type Hook struct {
	offsetMS int64
	keep     string       // real expiry in ms of keys without a virtual deadline; "": none
	sent     atomic.Int64 // number of scripts sent; each script has its own random numbers

	mu      sync.Mutex
	sources map[string]string // SHA-1 -> script that the client has sent or loaded
	wrapped map[wrapping]string
}

// wrapping identifies a script inside the prelude: its source, its flags, and the part of the prelude that calls it.
type wrapping struct{ source, flags, caller string }

// NewHook makes a hook for one run. real is the real time now. The deadlines of the run lie at least a day after real,
// and no command takes place before startUS. On a given server, every key has a real deadline.
func NewHook(startUS int64, real time.Time, given bool) *Hook {
	first := real.Add(generous).UnixMilli()
	h := newHook(first - startUS/1000)
	h.keep = keepText(given, first)
	return h
}

// NewSharedHook makes a hook that places deadlines like all other shared hooks, also those of other processes. The real
// deadlines of its keys never pass.
func NewSharedHook() *Hook { return newHook(SharedOffsetMS) }

// SharedOffsetMS is added to a deadline, in ms, by a shared hook. It moves 1970 to the year 2039. A real TTL below 13
// years ends earlier, so the prelude recognises real TTLs.
const SharedOffsetMS = 1 << 41

func newHook(offsetMS int64) *Hook {
	return &Hook{offsetMS: offsetMS, sources: map[string]string{}, wrapped: map[wrapping]string{}}
}

// Command is a plain command, or a script, with its virtual time.
type Command struct {
	AtUS int64 // since 1970
	Args []string
}

// One sends a command at its time. If the server replies with an error, the reply is that error.
func (h *Hook) One(ctx context.Context, client Client, c Command) (resp.Value, error) {
	return h.send(ctx, client, h.Rewrite(c.AtUS, c.Args))
}

// Several sends plain commands in one EVAL, which takes a tenth of the time of single commands. The commands' times
// must not decrease. The replies end after the first error.
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

// send sends a rewritten command.
func (h *Hook) send(ctx context.Context, client Client, args []string) (resp.Value, error) {
	data, err := client.Send(ctx, words(args))
	if err != nil {
		return resp.Value{}, err
	}
	return resp.Read(data[0])
}
