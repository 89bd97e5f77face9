package sequence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// DifferenceError reports a command to which the server and the model reply differently.
type DifferenceError struct {
	Number int // of the call, from 1
	Call   Call
	Got    resp.Value
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("command %d, %v at %d µs since 1970: the server answers %v, the model in virtual time %v",
		e.Number, e.Call.Command.Words(""), e.Call.AtUS, e.Got, e.Call.Reply)
}

// Confirm sends calls to a server, in order, each at its virtual time, and compares the replies. prefix is put before
// their keys. The keys are deleted at the end. real is the real time now. The error is a *DifferenceError,
// message.ErrInterrupted if ctx ends, or an error of the connection.
//
// On a given server every key gets a TTL, because a killed run deletes nothing.
func Confirm(ctx context.Context, client virtualtime.Client, given bool, prefix string, calls []Call, real time.Time) (
	err error) {
	if len(calls) == 0 {
		return nil
	}
	// the earliest time, because the server's clock may step back during the run
	first := slices.MinFunc(calls, func(a, b Call) int { return cmp.Compare(a.AtUS, b.AtUS) }).AtUS
	hook := virtualtime.NewHook(first, real, given)
	call := context.WithoutCancel(ctx)
	defer func() { err = cmp.Or(err, forget(call, client, prefix, calls)) }()
	for next := 0; next < len(calls); {
		if ctx.Err() != nil {
			return message.ErrInterrupted
		}
		var replies []resp.Value
		if together := together(calls[next:], prefix); together != nil {
			replies, err = hook.Several(call, client, together)
		} else {
			replies = make([]resp.Value, 1)
			replies[0], err = hook.One(call, client, command(calls[next], prefix))
		}
		if err != nil {
			return err
		}
		for _, reply := range replies {
			call := calls[next]
			next++
			if reply.String() != call.Reply.String() {
				return &DifferenceError{next, call, reply}
			}
		}
	}
	return nil
}

// The most commands and words that are sent together. They take about a millisecond of the server's time.
const (
	mostTogether = 200
	mostWords    = 2000
)

// together returns the first calls that can be sent together. It returns nil if a script comes first.
func together(calls []Call, prefix string) (all []virtualtime.Command) {
	words := 0
	for i, call := range calls {
		c := command(call, prefix)
		words += len(c.Args)
		stepsBack := i > 0 && call.AtUS < calls[i-1].AtUS
		if call.Command.script != "" || stepsBack || i == mostTogether || i > 0 && words > mostWords {
			break
		}
		all = append(all, c)
	}
	return all
}

// command returns a call's command with its time.
func command(c Call, prefix string) virtualtime.Command {
	return virtualtime.Command{AtUS: c.AtUS, Args: c.Command.Words(prefix)}
}

// forget deletes all keys of calls.
func forget(ctx context.Context, client virtualtime.Client, prefix string, calls []Call) error {
	keys := map[string]bool{}
	del := []any{"DEL"}
	for _, c := range calls {
		if key := prefix + c.Command.Key; !keys[key] {
			keys[key] = true
			del = append(del, key)
		}
	}
	_, err := virtualtime.Send(ctx, client, del)
	return err
}
