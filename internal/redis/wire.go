package redis

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/resp"
)

// wires are the connections to one server. They object to what no Redis answers before a client makes room for it, say
// which server keeps everybody waiting, and end the wait on an interrupt: a call that is under way hears of no context.
type wires struct {
	watch message.Watch
	what  string // what one waits for where nothing comes
	end   func() // ends the watch

	mu      sync.Mutex
	all     map[*wire]bool
	closed  bool        // for good: nothing is dialled any more
	severed atomic.Bool // connections were ended, and what fails since then was interrupted
	hangs   atomic.Bool // the server kept somebody waiting for too long

	next time.Duration // the silence after which another word is due
	ends time.Time     // when all connections are ended for good; zero before they have been ended once
}

func newWires(watch message.Watch, label string) *wires {
	w := &wires{watch: watch, what: label + " to answer", all: map[*wire]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	if watch.Say != nil || watch.Stop != nil {
		go w.look(ctx)
	}
	return w
}

// attach puts a new connection under the watch.
func (w *wires) attach(conn net.Conn) (net.Conn, error) {
	c := &wire{Conn: conn, wires: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		conn.Close()
		return nil, &message.Interrupted{What: w.what}
	}
	w.all[c] = true
	if raw, ok := conn.(syscall.Conn); ok {
		return &socketWire{c, raw}, nil
	}
	return c, nil
}

// sever ends all connections; for good, or so that what is called next may try once more, as it does to clean up.
func (w *wires) sever(forGood bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hangs.Store(true)
	w.severed.Store(true)
	w.closed = w.closed || forGood
	for c := range w.all {
		conn := c.Conn
		if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = inner.NetConn() // a Close of TLS would try to say goodbye first
		}
		_ = conn.Close()
	}
}

// wire is a connection with an eye on what comes in. Its counters are odd while a call is under way; reading no clock,
// they cost next to nothing.
type wire struct {
	net.Conn
	wires         *wires
	replies       replies
	reads, writes atomic.Int64

	seen  [2]int64 // the counters when they were looked at last
	since time.Time
}

// socketWire is a wire of a socket, which go-redis asks whether the other side has hung up.
type socketWire struct {
	*wire
	raw syscall.Conn
}

func (s *socketWire) SyscallConn() (syscall.RawConn, error) { return s.raw.SyscallConn() }

// Read reads what a Redis may answer.
func (c *wire) Read(p []byte) (int, error) {
	c.reads.Add(1)
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	if wrong := c.replies.check(p[:n], c.writes.Load()); wrong != nil {
		return 0, wrong
	}
	return n, c.wires.noted(err)
}

func (c *wire) Write(p []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(p)
	c.writes.Add(1)
	return n, c.wires.noted(err)
}

// SetDeadline and its sisters are what fails first on a connection that an interrupt has ended between two calls.
func (c *wire) SetDeadline(t time.Time) error      { return c.wires.noted(c.Conn.SetDeadline(t)) }
func (c *wire) SetReadDeadline(t time.Time) error  { return c.wires.noted(c.Conn.SetReadDeadline(t)) }
func (c *wire) SetWriteDeadline(t time.Time) error { return c.wires.noted(c.Conn.SetWriteDeadline(t)) }

func (c *wire) Close() error {
	c.wires.mu.Lock()
	delete(c.wires.all, c)
	c.wires.mu.Unlock()
	return c.Conn.Close()
}

// noted is err, or the interrupt that it comes from; a server that hangs is noted.
func (w *wires) noted(err error) error {
	switch {
	case err == nil:
		return nil
	case w.severed.Load():
		return &message.Interrupted{What: w.what}
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.hangs.Store(true)
	}
	return err
}

// What a server that does not answer is granted after an interrupt: so long it may be silent before its connections are
// ended, and so long what cleans up may then try. lookEvery is how exact that is.
const (
	lookEvery    = 250 * time.Millisecond
	lastPatience = 2 * time.Second
	lastTry      = time.Second
)

// look looks at the connections from time to time until ctx is done.
func (w *wires) look(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			w.lookAt(now)
		}
	}
}

// lookAt looks at the connections once.
func (w *wires) lookAt(now time.Time) {
	silent := w.silence(now)
	switch {
	case !w.ends.IsZero():
		if !now.Before(w.ends) {
			w.sever(true)
		}
	case silent >= lastPatience && w.watch.Stopped():
		w.sever(false)
		w.ends = now.Add(lastTry)
	case silent == 0:
		w.next = soon
	case silent >= max(w.next, soon):
		w.watch.Waited(w.what, silent)
		w.next = 2 * silent
	}
}

// silence is for how long the call that has waited longest has been under way.
func (w *wires) silence(now time.Time) (longest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.all {
		at := [2]int64{c.reads.Load(), c.writes.Load()}
		underWay := at[0]%2 == 1 || at[1]%2 == 1
		if at != c.seen || !underWay {
			c.seen, c.since = at, now
		}
		longest = max(longest, now.Sub(c.since))
	}
	return longest
}

// What may come in after one command. Redis itself would send more, but nothing that is asked here is answered with as
// much. go-redis makes room for whatever is announced, and reads tables within tables on its stack.
const (
	mostBytes  = 256 << 20
	mostTables = 1 << 17
)

// replies follows what comes in on one connection.
type replies struct {
	asked         int64 // writes of commands so far
	bytes, tables int   // since the last of them
	skip          int   // bytes of a text, and of the end of its line, that are yet to come
	line          []byte
}

// longestHeader is more than a type and a number take.
const longestHeader = 32

// check goes on with what has just been read. The error is a *resp.ProtocolError.
func (r *replies) check(data []byte, asked int64) error {
	if asked != r.asked {
		r.asked, r.bytes, r.tables = asked, 0, 0
	}
	if r.bytes += len(data); r.bytes > mostBytes {
		return resp.Refuse("more than %d bytes in one reply", mostBytes)
	}
	for len(data) > 0 {
		if n := min(r.skip, len(data)); n > 0 {
			data, r.skip = data[n:], r.skip-n
			continue
		}
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data, line = rest, line[:min(len(line), longestHeader)]
		if !whole || len(r.line) > 0 {
			r.line = append(r.line, line[:min(len(line), longestHeader-len(r.line))]...)
			line = r.line
		}
		if !whole {
			return nil
		}
		if err := r.header(line); err != nil {
			return err
		}
		r.line = r.line[:0]
	}
	return nil
}

// header takes a whole line, or the beginning of a long one: of RESP2, or of RESP3, which a library may speak.
func (r *replies) header(line []byte) error {
	if len(line) < 2 || strings.IndexByte("+-:_#,($!=*~>%|", line[0]) < 0 {
		return resp.Refuse("the line %q", line)
	}
	isText, isTable := strings.IndexByte("$!=", line[0]) >= 0, strings.IndexByte("*~>%|", line[0]) >= 0
	if !isText && !isTable {
		return nil
	}
	n, err := strconv.Atoi(string(bytes.TrimSuffix(line[1:], []byte("\r"))))
	switch {
	case err != nil || n < -1:
		return resp.Refuse("the length %q", line[1:])
	case isText && n > resp.MostText:
		return resp.Refuse("a text of %d bytes, of which at most %d are taken", n, resp.MostText)
	case isText && n >= 0:
		r.skip = n + len("\r\n")
	case isTable:
		r.tables++
		if n > resp.MostItems || r.tables > mostTables {
			return resp.Refuse("a table of %d values, or too many tables", n)
		}
	}
	return nil
}
