package caller

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Connection calls a Target's program over a Socket of its own. It is not safe for concurrent use.
type Connection struct {
	target       *Target
	socket       *Socket
	out, scratch []byte
}

// Outcome is what a Call saw. Its instants are those of the Target's clock.
type Outcome struct {
	Decision limit.Decision
	Written  time.Duration // the instant before the request went into the socket
	Replied  time.Duration // the instant after its reply was read from the socket, before it was decoded

	// Aside is what the Call did before Written that is no part of the decision, such as initialising a key: it counts
	// neither as wait nor in the response.
	Aside time.Duration

	BytesWritten, BytesRead int // on the connection, by the decision alone; without TLS's and TCP's own
}

// Connect opens a connection. Close ends it.
func (t *Target) Connect(ctx context.Context) (*Connection, error) {
	socket, err := Dial(ctx, t.server.Open, t.options.Now)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sockets = append(t.sockets, socket)
	return &Connection{target: t, socket: socket}, nil
}

// Call sends one EVALSHA and reads its reply. A first request for a key is preceded by the key's init and, on a
// server that is not ours, followed by a PEXPIRE, neither of which counts. When the context is done, the call under way
// fails with its error.
func (c *Connection) Call(ctx context.Context, q limit.Request) (Outcome, error) {
	c.socket.Heed(ctx)
	o, err := c.call(q)
	if err != nil {
		return o, failed(q, cmp.Or(ctx.Err(), err))
	}
	return o, nil
}

// Ping asks for nothing, which wakes up the connection and the server. Its outcome has no decision.
func (c *Connection) Ping(ctx context.Context) (o Outcome, err error) {
	c.socket.Heed(ctx)
	c.out = resp.AppendCommand(c.out[:0], "PING")
	reply, err := c.socket.Exchange(&o, c.out)
	if err = cmp.Or(err, refusal(reply)); err != nil {
		err = cmp.Or(ctx.Err(), err)
	}
	return o, err
}

func (c *Connection) call(q limit.Request) (o Outcome, err error) {
	t := c.target
	s := t.sight(q.Key)
	settled := s.settled.Load()
	if !settled {
		if o.Aside, err = c.meet(q.Key, s); err != nil {
			return o, err
		}
	}
	v := script.Vars{Key: q.Key, Cost: q.Cost,
		NowUS: t.options.Origin.UnixMicro() + t.options.Now().Microseconds() + q.ClientSkewUS}
	if !settled {
		t.note(s, t.program.Decide.Keys, v)
	}
	c.out, c.scratch = t.decide.append(c.out[:0], c.scratch, v)
	reply, err := c.socket.Exchange(&o, c.out)
	if err != nil {
		return o, err
	}
	o.Decision, err = t.decision(reply)
	if !settled && err == nil {
		err = c.expire(t.settle(s))
	}
	return o, err
}

// failed names the request that err is of.
func failed(q limit.Request, err error) error {
	return fmt.Errorf("request at %dµs, key %s, cost %d: %w", q.AtUS, message.Quote(q.Key), q.Cost, err)
}

// meet calls init for a key, once for all connections, and says how long this or the wait for it took.
func (c *Connection) meet(key string, s *sight) (time.Duration, error) {
	t := c.target
	began := t.options.Now()
	s.once.Do(func() {
		if t.program.Init != nil {
			c.out = c.out[:0]
			c.appendInit(s, script.Vars{Key: key, Cost: 1, NowUS: t.options.Origin.UnixMicro() + began.Microseconds()})
			s.err = c.aside(initRefusal)
		}
	})
	return t.options.Now() - began, s.err
}

// expire gives a TTL to keys that have none. A script that takes it away again at every call, by a plain SET, keeps its
// keys until Close.
func (c *Connection) expire(names []string) error {
	for _, name := range names {
		c.out = c.out[:0]
		c.appendExpire(name)
		if err := c.aside(refusal); err != nil {
			return err
		}
	}
	return nil
}

// aside sends what has been appended, beside the calls that are measured.
func (c *Connection) aside(read func(resp.Value) error) error {
	reply, err := c.socket.Exchange(&Outcome{}, c.out)
	return cmp.Or(err, read(reply))
}

func (c *Connection) appendInit(s *sight, v script.Vars) {
	t := c.target
	t.note(s, t.program.Init.Keys, v)
	t.initCalls.Add(1)
	c.out, c.scratch = t.init.append(c.out, c.scratch, v)
}

func (c *Connection) appendExpire(name string) {
	ttl := strconv.FormatInt(c.target.TTL().Milliseconds(), 10)
	c.out = resp.AppendCommand(c.out, "PEXPIRE", name, ttl, "NX")
}
