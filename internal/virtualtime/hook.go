package virtualtime

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Hook rewrites what a client sends, command by command, so that it takes place at a virtual time: a script becomes the
// same script inside the prelude, a plain command a script of one line. The replies are the server's own.
//
// WATCH, SUBSCRIBE, blocking commands, functions, and whatever else the prelude does not know fail with their name. A
// plain command's errors and integers pass through Lua, where an integer beyond 2^53 is an error. The hook deletes
// nothing at the end.
type Hook struct {
	offsetMS int64
	keep     string       // the real expiry, ms, of keys that have no deadline of their own; "": none
	sent     atomic.Int64 // scripts so far: each has its own random numbers

	mu      sync.Mutex
	sources map[string]string // SHA-1 -> what the library has sent or loaded
	wrapped map[wrapping]string
}

// wrapping is a script in the prelude: what it is, and the part of the prelude that calls it.
type wrapping struct{ source, flags, caller string }

// NewHook makes a hook for one run. real is the real time now: the deadlines of the run lie a day and more after it,
// and no command takes place before startUS. On a given server every key has a real deadline.
func NewHook(startUS int64, real time.Time, given bool) *Hook {
	first := real.Add(generous).UnixMilli()
	h := newHook(first - startUS/1000)
	h.keep = keepText(given, first)
	return h
}

// NewSharedHook makes a hook whose deadlines are those of all such hooks, in whatever process. Keys are never given a
// real deadline that passes.
func NewSharedHook() *Hook { return newHook(SharedOffsetMS) }

// SharedOffsetMS is what a shared hook adds to a deadline in ms. It puts 1970 into the year 2039. A real TTL below 13
// years ends before it, and is thereby recognised.
const SharedOffsetMS = 1 << 41

func newHook(offsetMS int64) *Hook {
	return &Hook{offsetMS: offsetMS, sources: map[string]string{}, wrapped: map[wrapping]string{}}
}

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
