package load

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// connection calls a Target's script over a socket of its own. go-redis opens it, logs in and selects the database;
// from then on requests are written to the socket, and replies read from it, without go-redis between.
//
// Note: go-redis hides the instant of the write, and its pool checks a connection's health with a system call and sets
// two deadlines per call. A redis.Conn pinned to the worker, without deadlines and with its arguments prepared, closes
// much of the gap to redis-benchmark (BenchmarkClosed), but still allocates, and still hides the instant.
type connection struct {
	t       *Target
	client  *redis.Client
	conn    net.Conn
	ctx     context.Context // the last Call's
	forget  func() bool     // ends the watch on it
	cut     atomic.Bool     // ctx was done: the connection is of no use any more
	renewed time.Duration   // when the deadline was last put off

	out, scratch, in []byte
	scan             resp.Scanner
}

// answerTimeout is how long an answer may take; the deadline is put off at most every renewal, not for every call,
// so that giving up takes as much longer.
const (
	answerTimeout = 30 * time.Second
	renewal       = 5 * time.Second
)

// Connect opens n connections, each a Caller for one worker. Close ends them.
func (t *Target) Connect(ctx context.Context, n int) ([]Caller, error) {
	callers := make([]Caller, n)
	for i := range callers {
		c, err := t.connect(ctx)
		if err != nil {
			return nil, err
		}
		t.mu.Lock()
		t.connections = append(t.connections, c)
		t.mu.Unlock()
		callers[i] = c
	}
	return callers, nil
}

// connect opens one connection.
func (t *Target) connect(ctx context.Context) (*connection, error) {
	c := &connection{t: t, in: make([]byte, 4096), renewed: -2 * renewal}
	var err error
	c.client, c.conn, err = dial(ctx, t.client)
	return c, err
}

// dial opens one connection as client would, which nobody but the caller uses: RESP 2, in which a server says nothing
// unasked, and no second try. It lasts until its own client is closed.
func dial(ctx context.Context, client *redis.Client) (own *redis.Client, conn net.Conn, err error) {
	options := *client.Options()
	dialer := options.Dialer
	var dialled atomic.Pointer[net.Conn] // by a goroutine of the client's, which may outlive a failed call
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer(ctx, network, addr)
		dialled.Store(&c)
		return c, err
	}
	options.PoolSize, options.MinIdleConns, options.MaxRetries, options.Protocol = 1, 0, -1, 2
	own = redis.NewClient(&options)
	if err := own.Ping(ctx).Err(); err != nil {
		own.Close()
		return nil, nil, err
	}
	return own, *dialled.Load(), nil
}

func (c *connection) close() {
	if c.forget != nil {
		c.forget()
	}
	_ = c.client.Close()
}

// heed cuts short what the connection does when ctx is done. A run has one context for all its calls, so that there is
// next to nothing to do for each.
func (c *connection) heed(ctx context.Context) {
	if c.ctx == ctx {
		return
	}
	if c.forget != nil {
		c.forget()
	}
	c.ctx, c.forget = ctx, context.AfterFunc(ctx, func() {
		if context.Cause(ctx) != errFinished {
			c.interrupt()
		}
	})
}

// interrupt makes reads and writes under way, and all later ones, fail at once.
func (c *connection) interrupt() {
	c.cut.Store(true)
	_ = c.conn.SetDeadline(time.Unix(1, 0))
}

// Call sends one EVALSHA and reads its reply. A first request for a key is preceded by the key's init and, on a
// server that is not ours, followed by a PEXPIRE, neither of which counts.
func (c *connection) Call(ctx context.Context, req limit.Request) (Outcome, error) {
	c.heed(ctx)
	o, err := c.call(req)
	if err != nil {
		return o, fmt.Errorf("request at %dµs, key %s, cost %d: %w", req.AtUS, message.Quote(req.Key), req.Cost, err)
	}
	return o, nil
}

func (c *connection) call(req limit.Request) (o Outcome, err error) {
	s := c.t.sight(req.Key)
	first := !s.done.Load()
	if first {
		if o.Aside, err = c.meet(req.Key); err != nil {
			return o, err
		}
	}
	now := c.t.clock.Now()
	v := script.Vars{Key: req.Key, Cost: req.Cost, NowUS: c.t.clock.unixUS(now)}
	c.out, c.scratch = c.t.decide.append(c.out[:0], c.scratch, v)
	reply, err := c.exchange(&o)
	if err != nil {
		return o, err
	}
	if reply.Kind == resp.Error {
		return o, refused(reply.Text)
	}
	d, err := c.t.program.Decode(reply)
	o.Allowed = d.Allowed()
	if first && c.t.shared && err == nil {
		err = c.expire(v)
	}
	return o, err
}

// exchange writes c.out and reads the reply to it.
func (c *connection) exchange(o *Outcome) (resp.Value, error) {
	o.Written = c.t.clock.Now()
	if o.Written-c.renewed > renewal {
		c.renew(o.Written)
	}
	o.BytesWritten = len(c.out)
	if _, err := c.conn.Write(c.out); err != nil {
		return resp.Value{}, err
	}
	for n := 0; ; {
		if n == len(c.in) {
			c.in = append(c.in, make([]byte, len(c.in))...)
		}
		m, err := c.conn.Read(c.in[n:])
		if err != nil {
			return resp.Value{}, err
		}
		o.Replied = c.t.clock.Now()
		n += m
		c.scan.Reset(c.in[:n])
		reply, err := c.scan.Value()
		if err == resp.ErrShort {
			continue
		}
		if err == nil {
			err = c.scan.End()
		}
		o.BytesRead = n
		return reply, err
	}
}

// renew puts off the instant at which an answer that has not come is given up.
func (c *connection) renew(now time.Duration) {
	c.renewed = now
	_ = c.conn.SetDeadline(time.Now().Add(answerTimeout + renewal))
	if c.cut.Load() {
		c.interrupt() // it came in between
	}
}

// refused is the error that an error reply means.
func refused(text string) error {
	if strings.HasPrefix(text, "NOSCRIPT") {
		return errLostScripts
	}
	return replyError(strings.Clone(text)) // it lies where the next reply is read
}

// meet calls init for a key, once for all connections, and says how long this or the wait for it took.
func (c *connection) meet(key string) (time.Duration, error) {
	s := c.t.sight(key)
	began := c.t.clock.Now()
	s.once.Do(func() {
		if c.t.program.Init != nil {
			v := script.Vars{Key: key, Cost: 1, NowUS: c.t.clock.unixUS(began)}
			c.out, c.scratch = c.t.init.append(c.out[:0], c.scratch, v)
			c.t.initCalls.Add(1)
			reply, err := c.exchange(&Outcome{})
			if s.err = err; err == nil && reply.Kind == resp.Error {
				s.err = refused(reply.Text)
			}
			if s.err != nil {
				s.err = fmt.Errorf("init: %w", s.err)
			}
		}
		s.done.Store(s.err == nil)
	})
	return c.t.clock.Now() - began, s.err
}

// margin is how long keys that their script gives no TTL outlast the calls, on a server that is not ours: a run that is
// killed leaves nothing for good.
const margin = 10 * time.Minute

// expire gives a TTL to the keys of a call that have none. A script that takes it away again at every call, by a plain
// SET, keeps its keys until Close.
func (c *connection) expire(v script.Vars) error {
	ttl := max(0, c.t.until-c.t.clock.Now()) + margin
	for _, template := range c.t.program.Decide.Keys {
		c.scratch = template.Append(c.scratch[:0], v)
		c.out = resp.AppendCommand(c.out[:0], "PEXPIRE", string(c.scratch), strconv.FormatInt(ttl.Milliseconds(), 10), "NX")
		c.t.expireCalls.Add(1)
		reply, err := c.exchange(&Outcome{})
		if err == nil && reply.Kind == resp.Error {
			err = refused(reply.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
