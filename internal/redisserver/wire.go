package redisserver

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ratelab/internal/resp"
	"ratelab/internal/waiting"
)

// wires are the connections to one server. They object to what no Redis answers before a client makes room for it, say
// which server keeps everybody waiting, and end the wait on an interrupt: a call that is under way hears of no context.
type wires struct {
	watch waiting.Watch
	what  string // what one waits for where nothing comes

	mu     sync.Mutex
	all    map[*wire]bool
	closed chan struct{} // by end
	ended  bool
	cut    bool        // interrupted for good: nothing is dialled any more
	hangs  atomic.Bool // the server kept somebody waiting for too long
}

func newWires(watch waiting.Watch, label string) *wires {
	w := &wires{watch: watch, what: label + " to answer", all: map[*wire]bool{}, closed: make(chan struct{})}
	if watch.Say != nil || watch.Stop != nil {
		go w.look(time.NewTicker(lookEvery))
	}
	return w
}

// wire is a connection with an eye on what comes in. Its counters are odd while a call is under way; reading no clock,
// they cost next to nothing.
type wire struct {
	net.Conn
	wires         *wires
	replies       resp.Checker
	reads, writes atomic.Int64
	cut           atomic.Bool
}

// attach puts a new connection under the watch.
func (w *wires) attach(conn net.Conn) (net.Conn, error) {
	c := &wire{Conn: conn, wires: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		conn.Close()
		return nil, w.interrupted()
	}
	w.all[c] = true
	if raw, ok := conn.(syscall.Conn); ok {
		return &socketWire{c, raw}, nil
	}
	return c, nil
}

// socketWire is a wire of a socket, which go-redis asks whether the other side has hung up.
type socketWire struct {
	*wire
	raw syscall.Conn
}

// SyscallConn is the socket's.
func (s *socketWire) SyscallConn() (syscall.RawConn, error) { return s.raw.SyscallConn() }

// Read reads what a Redis may answer.
func (c *wire) Read(p []byte) (int, error) {
	c.reads.Add(1)
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	if wrong := c.replies.Check(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, c.failed(err)
}

// Write writes.
func (c *wire) Write(p []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(p)
	c.writes.Add(1)
	return n, c.failed(err)
}

// SetDeadline sets the deadline of reads and writes. On a connection that an interrupt has ended it fails first, before
// any read or write, as its two sisters do.
func (c *wire) SetDeadline(t time.Time) error { return c.failed(c.Conn.SetDeadline(t)) }

// SetReadDeadline sets the deadline of reads.
func (c *wire) SetReadDeadline(t time.Time) error { return c.failed(c.Conn.SetReadDeadline(t)) }

// SetWriteDeadline sets the deadline of writes.
func (c *wire) SetWriteDeadline(t time.Time) error { return c.failed(c.Conn.SetWriteDeadline(t)) }

// failed notes a server that hangs, and tells an interrupt from a failure.
func (c *wire) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case c.cut.Load():
		return c.wires.interrupted()
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.wires.hangs.Store(true)
	}
	return err
}

// Close ends the connection.
func (c *wire) Close() error {
	c.wires.mu.Lock()
	delete(c.wires.all, c)
	c.wires.mu.Unlock()
	return c.Conn.Close()
}

// sever ends the connection at once. A Close of TLS would try to say goodbye first.
func (c *wire) sever() {
	c.cut.Store(true)
	conn := c.Conn
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = inner.NetConn()
	}
	_ = conn.Close()
}

func (w *wires) interrupted() error { return &waiting.Interrupted{What: w.what} }

// sever ends all connections; for good, or so that what is called next may try once more, as it does to clean up.
func (w *wires) sever(forGood bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hangs.Store(true)
	w.cut = w.cut || forGood
	for c := range w.all {
		c.sever()
	}
}

// end ends the watch.
func (w *wires) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.ended = true
		close(w.closed)
	}
}

// What a server that does not answer is granted after an interrupt: so long it may be silent before its connections are
// ended, and so long what cleans up may then try. lookEvery is how exact that is.
const (
	lookEvery    = 250 * time.Millisecond
	lastPatience = 2 * time.Second
	lastTry      = time.Second
)

// look goes through the connections until end.
func (w *wires) look(ticker *time.Ticker) {
	defer ticker.Stop()
	o := observation{wires: w, since: map[*wire]call{}}
	for {
		select {
		case <-w.closed:
			return
		case now := <-ticker.C:
			o.look(now)
		}
	}
}

// call is what a connection was doing when it was looked at first, and when that was.
type call struct {
	reads, writes int64
	since         time.Time
}

// observation is what is known of the connections from one look to the next.
type observation struct {
	*wires
	since map[*wire]call
	notes waiting.Notes
	ends  time.Time // when all connections are ended for good; zero before they have been ended once
}

// look looks at the connections once.
func (o *observation) look(now time.Time) {
	silent := o.silence(now)
	switch {
	case !o.ends.IsZero():
		if !now.Before(o.ends) {
			o.sever(true)
		}
	case silent >= lastPatience && o.watch.Stopped():
		o.sever(false)
		o.ends = now.Add(lastTry)
	case silent == 0:
		o.notes = waiting.Notes{}
	default:
		o.notes.Waited(o.watch, o.what, silent)
	}
}

// silence is for how long the call that has waited longest has been under way.
func (o *observation) silence(now time.Time) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := make(map[*wire]call, len(o.all))
	longest := time.Duration(0)
	for c := range o.all {
		at := call{c.reads.Load(), c.writes.Load(), now}
		if at.reads%2 == 0 && at.writes%2 == 0 {
			continue
		}
		if was, ok := o.since[c]; ok && was.reads == at.reads && was.writes == at.writes {
			at.since = was.since
		}
		seen[c] = at
		longest = max(longest, now.Sub(at.since))
	}
	o.since = seen
	return longest
}
