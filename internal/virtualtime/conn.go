package virtualtime

import (
	"errors"
	"net"
	"sync"

	"ratelab/internal/resp"
)

// conn is a connection whose outgoing commands are rewritten. What is written is handed to a goroutine: over a pipe
// inside the process, a client that writes a whole pipeline before it reads would wait for a server that waits for it.
type conn struct {
	net.Conn
	rewrite func(args []string) []string
	partial []byte // of a command whose end has not been written yet

	mu     sync.Mutex
	ready  sync.Cond // queued, failed or closed has changed
	queued []byte
	failed error
	closed bool
}

func newConn(inner net.Conn, rewrite func([]string) []string) *conn {
	c := &conn{Conn: inner, rewrite: rewrite}
	c.ready.L = &c.mu
	go c.forward()
	return c
}

// Write takes RESP commands, whole or in pieces. The error is that of an earlier write.
func (c *conn) Write(p []byte) (int, error) {
	c.partial = append(c.partial, p...)
	var out []byte
	rest := c.partial
	for len(rest) > 0 {
		args, after, err := resp.Command(rest)
		if errors.Is(err, resp.ErrShort) {
			break
		}
		if err != nil {
			return 0, err
		}
		out = resp.AppendCommand(out, c.rewrite(args)...)
		rest = after
	}
	c.partial = append(c.partial[:0], rest...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return 0, c.failed
	}
	c.queued = append(c.queued, out...)
	c.ready.Signal()
	return len(p), nil
}

// Close ends the connection and its goroutine.
func (c *conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.ready.Signal()
	c.mu.Unlock()
	return c.Conn.Close()
}

// forward writes what is queued until the connection fails or is closed.
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
