package caller

import (
	"cmp"
	"context"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// step is one command of a batch: its request, and the error that its reply means.
type step struct {
	request int
	read    func(resp.Value) error
}

// Batch sends an EVALSHA for each of the requests that are due, in their order and in one write, and tells the scripts
// that it is now. Inits and PEXPIREs go with them, before and after the first request for a key; no other connection
// may call for a key that is new meanwhile. Where a reply is an error, or no decision, the error names its request.
// Else it is the connection's, or that of the context, which ends the batch under way. After an error no decision is
// valid.
func (c *Connection) Batch(ctx context.Context, now time.Time, due []limit.Request, decisions []limit.Decision) error {
	c.socket.Heed(ctx)
	defer c.socket.Heed(context.Background()) // it may end when the batch has, and is not to cut the next one short
	c.out, c.steps = c.out[:0], c.steps[:0]
	for i, q := range due {
		c.add(i, script.Vars{Key: q.Key, Cost: q.Cost, NowUS: now.UnixMicro()}, &decisions[i])
	}
	if _, err := c.socket.send(c.out); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	var first error // the replies after it are read all the same: the next batch is not to find them
	for _, s := range c.steps {
		reply, err := c.socket.receive()
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if err = s.read(reply); err != nil && first == nil {
			first = failed(due[s.request], err)
		}
	}
	return cmp.Or(first, c.socket.scan.End())
}

// add appends what is to be sent for a request.
func (c *Connection) add(request int, v script.Vars, d *limit.Decision) {
	t := c.target
	s := t.sight(v.Key)
	settled := s.settled.Load()
	if !settled {
		s.once.Do(func() {
			if t.program.Init != nil {
				c.appendInit(s, v)
				c.steps = append(c.steps, step{request, initRefusal})
			}
		})
		t.note(s, t.program.Decide.Keys, v)
	}
	c.out, c.scratch = t.decide.append(c.out, c.scratch, v)
	c.steps = append(c.steps, step{request, func(r resp.Value) (err error) { *d, err = t.decision(r); return err }})
	if settled {
		return
	}
	for _, name := range t.settle(s) {
		c.appendExpire(name)
		c.steps = append(c.steps, step{request, refusal})
	}
}
