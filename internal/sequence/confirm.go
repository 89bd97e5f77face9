package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// DifferenceError is a command that the server answers otherwise than the model did.
type DifferenceError struct {
	Number int // of the call, from 1
	Call   Call
	Got    resp.Value
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("command %d, %v at %d µs since 1970: the server answers %v, the model in virtual time %v",
		e.Number, e.Call.Command.Words(""), e.Call.AtUS, e.Got, e.Call.Reply)
}

// Confirm sends calls to a server again, in their order, each at its own virtual time, and wants the same replies. The
// client must be fresh, and is the caller's to close; the keys, behind prefix, are deleted in the end. real is the
// real time now; a stop that is closed ends it early. The error is a *DifferenceError,
// message.ErrStopped, or the connection's.
//
// given: the server is not ours. A key that a killed run leaves there then ends with its TTL.
func Confirm(ctx context.Context, client redis.Client, given bool, prefix string, calls []Call, real time.Time,
	stop <-chan struct{}) (err error) {
	if len(calls) == 0 {
		return nil
	}
	clock := &virtualtime.Clock{} // begins at the earliest time there is: it may step back during the run
	clock.Set(slices.MinFunc(calls, func(a, b Call) int { return cmp.Compare(a.AtUS, b.AtUS) }).AtUS)
	hook := virtualtime.NewHook(clock, real)
	if given {
		hook = virtualtime.NewGuestHook(clock, real)
	}
	client.AddHook(hook)
	defer func() { err = cmp.Or(err, forget(context.WithoutCancel(ctx), client, prefix, calls)) }()
	for next := 0; next < len(calls); {
		if message.Closed(stop) {
			return message.ErrStopped
		}
		var replies []any
		if together := together(calls[next:], prefix); together != nil {
			replies, err = hook.Several(ctx, client, together)
		} else {
			clock.Set(calls[next].AtUS)
			replies, err = alone(client.Do(ctx, calls[next].Command.Words(prefix)...).Result())
		}
		if err != nil {
			return err
		}
		for _, reply := range replies {
			call := calls[next]
			next++
			if got := shown(reply); got.String() != call.Reply.String() {
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

// together are the first few of calls, which go together: nil where a script comes first.
func together(calls []Call, prefix string) (all []virtualtime.Command) {
	words := 0
	for i, call := range calls {
		args := call.Command.Words(prefix)
		words += len(args)
		stepsBack := i > 0 && call.AtUS < calls[i-1].AtUS
		if call.Command.script != "" || stepsBack || i == mostTogether || i > 0 && words > mostWords {
			break
		}
		all = append(all, virtualtime.Command{AtUS: call.AtUS, Args: args})
	}
	return all
}

// alone is the reply to one command, of which an error is one, too.
func alone(reply any, err error) ([]any, error) {
	var refused goredis.Error
	switch {
	case errors.Is(err, goredis.Nil):
		return []any{nil}, nil
	case errors.As(err, &refused):
		return []any{err}, nil
	}
	return []any{reply}, err
}

// shown is a server's reply as the model would give it.
func shown(reply any) resp.Value {
	switch reply := reply.(type) {
	case nil:
		return resp.Value{}
	case int64:
		return integer(reply)
	case string:
		return resp.Value{Kind: resp.String, Text: reply}
	}
	return resp.Value{Kind: resp.Error, Text: fmt.Sprint(reply)}
}

// forget deletes every key of calls.
func forget(ctx context.Context, client redis.Client, prefix string, calls []Call) error {
	var keys []string
	for _, c := range calls {
		keys = append(keys, prefix+c.Command.Key)
	}
	slices.Sort(keys)
	return client.Del(ctx, slices.Compact(keys)...).Err()
}
