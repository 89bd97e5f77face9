package virtualtime

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"ratelab/internal/resp"
)

// conn is a connection whose outgoing commands are rewritten. What is written is handed to a goroutine: over a pipe inside
// the process, a client that writes a whole pipeline before it reads would wait for a server that waits for it.
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
		args, after, err := command(rest)
		if errors.Is(err, errShort) {
			break
		}
		if err != nil {
			return 0, err
		}
		out = appendCommand(out, c.rewrite(args))
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

// command reads one command, an array of bulk strings, and gives what follows it; errShort where its end is missing.
func command(data []byte) (args []string, rest []byte, err error) {
	n, rest, err := header(data, '*')
	if err != nil {
		return nil, nil, err
	}
	for range n {
		var size int
		if size, rest, err = header(rest, '$'); err != nil {
			return nil, nil, err
		}
		if len(rest)-len("\r\n") < size {
			return nil, nil, errShort
		}
		args = append(args, string(rest[:size]))
		rest = rest[size+2:]
	}
	return args, rest, nil
}

// header reads a line such as "*3\r\n".
func header(data []byte, kind byte) (n int, rest []byte, err error) {
	line, rest, whole := bytes.Cut(data, []byte("\r\n"))
	if !whole {
		return 0, nil, errShort
	}
	if len(line) > 0 && line[0] == kind {
		n, err = strconv.Atoi(string(line[1:]))
	}
	if err != nil || len(line) < 2 || line[0] != kind || n < 0 || n > most(kind) || kind == '*' && n == 0 {
		return 0, nil, fmt.Errorf("the client sent %.60q, which begins no command", line)
	}
	return n, rest, nil
}

// most is what a line may announce: so many arguments are what a server takes, and so many bytes of one.
func most(kind byte) int {
	if kind == '*' {
		return 1 << 20
	}
	return resp.MostText
}

func appendCommand(out []byte, args []string) []byte {
	out = fmt.Appendf(out, "*%d\r\n", len(args))
	for _, arg := range args {
		out = fmt.Appendf(out, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return out
}
