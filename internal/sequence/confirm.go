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

// Confirm sends calls to a server again, in their order, each at its own virtual time, and wants the same replies. The
// client must be fresh, and is the caller's to close; the keys, behind prefix, are deleted in the end. real is the
// real time now; a stop that is closed ends it early. The error is a *DifferenceError, ErrStopped, or the connection's.
//
// shared: others use the server too. A key that a killed run leaves there then ends with its TTL.
func Confirm(ctx context.Context, client *redis.Client, shared bool, prefix string, calls []Call, real time.Time,
	stop <-chan struct{}) error {
	if len(calls) == 0 {
		return nil
	}
	clock := &virtualtime.Clock{}
	clock.Set(earliest(calls))
	if shared {
		client.AddHook(virtualtime.NewGuestHook(clock, real.Add(time.Duration(len(calls))*perCall)))
	} else {
		client.AddHook(virtualtime.NewHook(clock, real))
	}
	failed := confirm(ctx, client, clock, prefix, calls, stop)
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

func confirm(ctx context.Context, client *redis.Client, clock *virtualtime.Clock, prefix string, calls []Call,
	stop <-chan struct{}) error {
	for i, c := range calls {
		if waiting.Closed(stop) {
			return ErrStopped
		}
		clock.Set(c.AtUS)
		reply, err := ask(ctx, client, c.Command.Args(prefix))
		var refused redis.Error
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		got := reply.String()
		if err != nil {
			got = "the error " + err.Error()
		}
		if got != c.Reply.String() {
			return &DifferenceError{i + 1, c, got}
		}
	}
	return nil
}

// ask is one command's reply.
func ask(ctx context.Context, client *redis.Client, args []any) (Reply, error) {
	answer, err := client.Do(ctx, args...).Result()
	if errors.Is(err, redis.Nil) {
		return Reply{}, nil
	}
	switch answer := answer.(type) {
	case int64:
		return integer(answer), err
	case string:
		return text(answer), err
	}
	return Reply{}, err
}

// forget deletes every key of calls.
func forget(ctx context.Context, client *redis.Client, prefix string, calls []Call) error {
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
