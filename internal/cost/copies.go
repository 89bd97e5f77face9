package cost

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/script"
)

// copies are keys of one state on a server, ready to be asked. What the client says of the time is the path's instant,
// whatever time it is.
type copies struct {
	label  string
	target *caller.Target
	calls  *caller.Connection
	keys   []string
}

// keyNames are those of n copies, as long as the template's.
func keyNames(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("q%05d", i)
	}
	return all
}

// setUp puts n copies of a state onto a server.
func setUp(ctx context.Context, server *redisserver.Server, label string, program *script.Program, n int,
	found *scene, at time.Time) (*copies, error) {
	c := &copies{label: label, keys: keyNames(n)}
	var err error
	c.target, err = caller.Prepare(ctx, caller.Server{Client: server.Client, Open: server.Open}, program,
		caller.Options{Origin: at, Now: func() time.Duration { return 0 }})
	if err != nil {
		return nil, err
	}
	if c.calls, err = c.target.Connect(ctx); err != nil {
		return nil, err
	}
	if err := c.target.Introduce(ctx, c.keys); err != nil || len(found.keys) == 0 {
		return c, err
	}
	pipe := server.Client.Pipeline()
	for _, key := range c.keys {
		for _, k := range found.keys {
			name := strings.ReplaceAll(k.name, template, key)
			pipe.Do(ctx, "RESTORE", name, k.deadlineMS, k.dump, "REPLACE", "ABSTTL")
		}
	}
	_, err = pipe.Exec(ctx)
	return c, err
}

// close ends the connection and deletes the copies.
func (c *copies) close(ctx context.Context) error { return c.target.Close(context.WithoutCancel(ctx)) }

// WrongPath is a script that did not decide what it does in virtual time: the figures would be of another path.
type WrongPath struct {
	Label, State string
	Limit        limit.Policy
	Problem      string
}

// Error names the row, the path, and what was answered.
func (w *WrongPath) Error() string {
	return fmt.Sprintf("%s, %s at %v: the calls did not take that path: %s", w.Label, w.State, w.Limit, w.Problem)
}

// ask asks every copy, one request after the other, each once the reply to the last is there. The error is a *WrongPath
// where a reply is not what virtual time decides.
func (c *copies) ask(ctx context.Context, costs []int64, found *scene) error {
	for _, key := range c.keys {
		for i := range costs {
			if err := c.askKey(ctx, key, i, costs, found); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *copies) askKey(ctx context.Context, key string, i int, costs []int64, found *scene) error {
	o, err := c.calls.Call(ctx, limit.Request{Key: key, Cost: costs[i]})
	if err != nil {
		return err
	}
	if problem := differs(o.Decision, found.soon[i], found.late[i]); problem != "" {
		return &WrongPath{Label: c.label, Problem: fmt.Sprintf("request %d of %d %s", i+1, len(costs), problem)}
	}
	return nil
}

// differs says how a decision lies outside of what is decided on time and as late as may be; "" where it does not.
func differs(got, soon, late limit.Decision) string {
	least, most := min(soon.Remaining, late.Remaining), max(soon.Remaining, late.Remaining)
	switch {
	case got.Verdict != soon.Verdict:
		return fmt.Sprintf("was %s, and is %s in virtual time", word(got), word(soon))
	case got.Remaining < least || got.Remaining > most:
		return fmt.Sprintf("left %d permits, and %d to %d in virtual time", got.Remaining, least, most)
	}
	return ""
}

func word(d limit.Decision) string {
	switch d.Verdict {
	case limit.Allowed:
		return "allowed"
	case limit.Rejected:
		return "rejected"
	case limit.NotConfigured:
		return "not configured"
	}
	return "unavailable"
}
