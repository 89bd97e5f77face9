package sequence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/virtualtime"
	"ratelab/internal/waiting"
)

// Client is a client of go-redis, which takes a hook.
type Client interface {
	virtualtime.Client
	AddHook(redis.Hook)
}

// Confirm sends calls to a server again, in their order, each at its own virtual time, and wants the same replies. The
// client must be fresh, and is the caller's to close; the keys, behind prefix, are deleted in the end. real is the
// real time now; a stop that is closed ends it early. The error is a *DifferenceError, ErrStopped, or the connection's.
//
// shared: others use the server too. A key that a killed run leaves there then ends with its TTL.
func Confirm(ctx context.Context, client Client, shared bool, prefix string, calls []Call, real time.Time,
	stop <-chan struct{}) error {
	if len(calls) == 0 {
		return nil
	}
	clock := &virtualtime.Clock{}
	clock.Set(earliest(calls))
	hook := virtualtime.NewHook(clock, real)
	if shared {
		hook = virtualtime.NewGuestHook(clock, real.Add(time.Duration(len(calls))*perCall))
	}
	client.AddHook(hook)
	c := &confirmation{client: client, clock: clock, hook: hook, prefix: prefix, calls: calls}
	failed := c.all(ctx, stop)
	if err := forget(context.WithoutCancel(ctx), client, prefix, calls); failed == nil {
		failed = err
	}
	return failed
}

// perCall is more than a command takes, but on a server on another continent.
const perCall = 50 * time.Millisecond

// DifferenceError is a command that the server answers otherwise than the Store did.
type DifferenceError struct {
	Number int // of the call, from 1
	Call   Call
	Got    string
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("command %d, %v at %d µs since 1970: the server answers %s, the model in virtual time %s",
		e.Number, e.Call.Command.Args(""), e.Call.AtUS, e.Got, e.Call.Reply)
}

// earliest is where the virtual clock begins: it may step back during the run.
func earliest(calls []Call) int64 {
	us := calls[0].AtUS
	for _, c := range calls {
		us = min(us, c.AtUS)
	}
	return us
}

// ErrStopped is a Confirm that was told to stop before it came to the end.
var ErrStopped = errors.New("stopped")

// confirmation is the calls on their way to the server.
type confirmation struct {
	client Client
	clock  *virtualtime.Clock
	hook   *virtualtime.Hook
	prefix string
	calls  []Call
}

// all confirms every call.
func (c *confirmation) all(ctx context.Context, stop <-chan struct{}) error {
	for next := 0; next < len(c.calls); {
		if waiting.Closed(stop) {
			return ErrStopped
		}
		replies, err := c.ask(ctx, c.calls[next:])
		if err != nil {
			return err
		}
		for _, reply := range replies {
			call := c.calls[next]
			next++
			if got := shown(reply); got != call.Reply.String() {
				return &DifferenceError{next, call, got}
			}
		}
	}
	return nil
}

// How much may travel together: about a millisecond of a server.
const (
	mostTogether = 200
	mostWords    = 2000
)

// ask sends the first few of calls, and gives at least one reply: those that go together, or one script alone.
func (c *confirmation) ask(ctx context.Context, calls []Call) ([]any, error) {
	var together []virtualtime.Command
	words := 0
	for i, call := range calls {
		args := call.Command.Args(c.prefix)
		words += len(args)
		stepsBack := i > 0 && call.AtUS < calls[i-1].AtUS
		if call.Command.Operation.script() || stepsBack || i == mostTogether || i > 0 && words > mostWords {
			break
		}
		together = append(together, virtualtime.Command{AtUS: call.AtUS, Args: args})
	}
	if together != nil {
		return c.hook.Several(ctx, c.client, together)
	}
	c.clock.Set(calls[0].AtUS)
	reply, err := c.client.Do(ctx, calls[0].Command.Args(c.prefix)...).Result()
	var refused redis.Error
	switch {
	case errors.Is(err, redis.Nil):
		return []any{nil}, nil
	case errors.As(err, &refused):
		return []any{err}, nil
	}
	return []any{reply}, err
}

// shown is a server's reply as a Reply would show it.
func shown(reply any) string {
	switch reply := reply.(type) {
	case nil:
		return Reply{}.String()
	case int64:
		return integer(reply).String()
	case string:
		return text(reply).String()
	case error:
		return "the error " + reply.Error()
	default:
		return fmt.Sprint(reply)
	}
}

// forget deletes every key of calls.
func forget(ctx context.Context, client Client, prefix string, calls []Call) error {
	seen := map[string]bool{}
	for _, c := range calls {
		if seen[c.Command.Key] {
			continue
		}
		seen[c.Command.Key] = true
		if err := client.Do(ctx, "DEL", prefix+c.Command.Key).Err(); err != nil {
			return err
		}
	}
	return nil
}
