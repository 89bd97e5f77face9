package redisclock

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"ratelab/internal/resp"
)

// conn is a connection to a server on which each command takes place at the clock's time. Commands are rewritten when
// they are written. Replies are the server's own. If the server need not be asked, it gets a PING whose reply is
// replaced, so that replies stay in order.
//
// A goroutine forwards what is written. Otherwise, over a pipe inside the process, a client that writes a whole
// pipeline before it reads would wait for the server, and the server for the client.
type conn struct {
	net.Conn // to the server
	clock    *Clock
	names    bool // send an error reply for each reply that a lost server owes

	mu      sync.Mutex
	ready   sync.Cond // signals changes of queued, failed and closed
	partial []byte    // an incomplete command
	queued  []byte    // for the server
	due     []fate    // for the expected replies
	last    bool      // no further commands are accepted
	failed  error
	closed  bool
	db      database
	transaction

	// used by Read
	buffer []byte
	came   []byte // bytes from the server that have not been parsed
	out    []byte // for the client
	reply  resp.Reply
	fate   fate // of reply
	asked  bool // reply belongs to a command
}

// fate tells what to do with a reply.
type fate struct {
	drop    bool
	instead string // "": forward the reply itself, unless it is dropped
}

// The most bytes of one command, and of all commands that wait for the server.
const (
	mostOfOne = 64 << 20
	mostOfAll = 512 << 20
)

func newConn(clock *Clock, server net.Conn) *conn {
	c := &conn{Conn: server, clock: clock, buffer: make([]byte, 16<<10)}
	c.db.number = "0"
	if a := server.RemoteAddr(); a != nil {
		c.db.network, c.db.address = a.Network(), a.String()
	}
	c.ready.L = &c.mu
	go c.forward()
	return c
}

// Write takes commands, complete or in pieces. Invalid input gets an error reply, and then the connection ends. The
// returned error is that of an earlier write.
func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failed != nil:
		return 0, c.failed
	case c.closed:
		return 0, net.ErrClosed
	case c.last:
		return len(p), nil
	}
	c.partial = append(c.partial, p...)
	rest := c.partial
	for len(rest) > 0 && !c.last {
		args, after, err := command(rest)
		if errors.Is(err, resp.ErrShort) && len(rest) <= mostOfOne {
			break
		}
		if err != nil {
			c.answer(fmt.Sprintf("-ERR Protocol error: %v\r\n", wrong(err)))
			c.last = true
			break
		}
		c.take(args)
		rest = after
	}
	c.partial = append(c.partial[:0], rest...)
	if len(c.queued) > mostOfAll {
		c.failed = fmt.Errorf("redisclock: more than %d bytes wait for the server", mostOfAll)
		return 0, c.failed
	}
	c.ready.Signal()
	return len(p), nil
}

// wrong returns the message of err for a command, since the full message is about replies.
func wrong(err error) string {
	var p *resp.ProtocolError
	if errors.As(err, &p) {
		return p.What
	}
	return fmt.Sprintf("a command of more than %d bytes", mostOfOne)
}

// send queues a command for the server.
func (c *conn) send(args []string, f fate) {
	c.queued = resp.AppendCommand(c.queued, args...)
	c.due = append(c.due, f)
}

// answer queues a reply to the client, in the right order.
func (c *conn) answer(reply string) { c.send([]string{"PING"}, fate{instead: reply}) }

// forward sends the queued commands until the connection fails or is closed.
func (c *conn) forward() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []byte
	for {
		for len(c.queued) == 0 && !c.closed {
			c.ready.Wait()
		}
		if c.closed {
			return
		}
		out, c.queued = c.queued, out[:0]
		c.mu.Unlock()
		_, err := c.Conn.Write(out)
		c.mu.Lock()
		if err != nil {
			c.failed = err
			return
		}
	}
}

// Read returns replies. If the connection accepts no more commands, it ends after the last reply.
func (c *conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for {
		taken := copy(p[n:], c.out)
		n, c.out = n+taken, c.out[taken:]
		switch {
		case n == len(p) || n > 0 && len(c.came) == 0:
			return n, nil
		case len(c.came) > 0:
			if err := c.next(); err != nil {
				return n, err
			}
			continue
		}
		c.mu.Lock()
		over := c.last && len(c.due) == 0 && !c.reply.Begun
		c.mu.Unlock()
		if over {
			return 0, io.EOF
		}
		got, err := c.Conn.Read(c.buffer)
		c.came = c.buffer[:got]
		if got == 0 {
			if c.out = c.owed(err); len(c.out) == 0 {
				return 0, err
			}
		}
	}
}

// next parses the bytes that have arrived.
func (c *conn) next() error {
	if !c.reply.Begun {
		c.mu.Lock()
		c.fate, c.asked = fate{}, len(c.due) > 0
		if c.asked { // a server may also complain unasked about too many clients
			c.fate = c.due[0]
		}
		c.mu.Unlock()
	}
	n, ends, err := c.reply.Next(c.came)
	if err != nil {
		return fmt.Errorf("redisclock: what the server answers is not RESP2: %w", err)
	}
	switch {
	case c.fate == fate{}:
		c.out = c.came[:n]
	case ends:
		c.out = []byte(c.fate.instead)
	}
	c.came = c.came[n:]
	if ends && c.asked {
		c.mu.Lock()
		c.due = c.due[1:]
		c.mu.Unlock()
	}
	return nil
}

// owed returns error replies for all commands that a lost server has not answered. It does so only once.
func (c *conn) owed(err error) (out []byte) {
	if !c.names || c.reply.Begun {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.due {
		if !f.drop {
			out = fmt.Appendf(out, "-ERR redisclock: the server does not answer: %v\r\n", err)
		}
	}
	c.due, c.last = nil, true
	return out
}

// finish ends the connection after the expected replies.
func (c *conn) finish() {
	c.mu.Lock()
	c.last = true
	idle := len(c.due) == 0
	c.mu.Unlock()
	if idle { // a Read may be waiting for a reply that will not come
		c.Close()
	}
}

// Close ends the connection and its goroutine.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.ready.Signal()
	c.mu.Unlock()
	return c.Conn.Close()
}

var _ net.Conn = (*conn)(nil)
