package redis

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/resp"
)

// wires are the connections to one server. They reject malformed replies before a client allocates memory for them.
// They report how long a server keeps a call waiting. They end the wait on an interrupt, since a call under way does
// not notice that its context is done.
type wires struct {
	start context.Context // of the server's start: an interrupt ends it, and its notice reports long waits
	what  string          // what a call waits for, in messages about long waits
	end   func()          // stops the goroutine that looks at the connections

	mu      sync.Mutex
	all     map[*wire]bool
	closed  bool        // new connections are refused
	severed atomic.Bool // connections were ended; later failures count as interrupted
	hangs   atomic.Bool // the server failed to answer in time, or was abandoned

	next time.Duration // how long a silence must last for the next report
	ends time.Time     // when all connections are ended and new ones refused; zero until the first sever
}

func newWires(start context.Context, label string) *wires {
	w := &wires{start: start, what: label + " to answer", all: map[*wire]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	go w.look(ctx)
	return w
}

// attach adds a new connection to the watched ones.
func (w *wires) attach(conn net.Conn) (net.Conn, error) {
	c := &wire{Conn: conn, wires: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	w.all[c] = true
	if raw, ok := conn.(syscall.Conn); ok {
		return &socketWire{c, raw}, nil
	}
	return c, nil
}

// sever closes all connections. With forGood, new ones are refused. Without it, later calls such as a cleanup may
// connect again.
func (w *wires) sever(forGood bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hangs.Store(true)
	w.severed.Store(true)
	w.closed = w.closed || forGood
	for c := range w.all {
		conn := c.Conn
		if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = inner.NetConn() // TLS's Close would first try to send an alert
		}
		_ = conn.Close()
	}
}

// wire is a connection that checks the replies. Its counters are odd while a call is under way. They read no clock, so
// they cost almost nothing.
type wire struct {
	net.Conn
	wires         *wires
	reply         resp.Reply
	bytes         int // length of the current reply so far
	reads, writes atomic.Int64

	seen  [2]int64 // the counters at the last look
	since time.Time
}

// socketWire is a wire on a socket. go-redis uses SyscallConn to check whether the other side has closed it.
type socketWire struct {
	*wire
	raw syscall.Conn
}

func (s *socketWire) SyscallConn() (syscall.RawConn, error) { return s.raw.SyscallConn() }

// Read reads from the connection and checks the replies.
func (c *wire) Read(p []byte) (int, error) {
	c.reads.Add(1)
	n, err := c.Conn.Read(p)
	c.reads.Add(1)
	if wrong := c.check(p[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

func (c *wire) Write(p []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(p)
	c.writes.Add(1)
	return n, err
}

func (c *wire) Close() error {
	c.wires.mu.Lock()
	delete(c.wires.all, c)
	c.wires.mu.Unlock()
	return c.Conn.Close()
}

// Times of a server that does not answer after an interrupt. Its connections are ended when it has been silent for
// lastPatience. A cleanup may then try for lastTry. Both are exact to lookEvery.
const (
	lookEvery    = 250 * time.Millisecond
	lastPatience = 2 * time.Second
	lastTry      = time.Second
)

// look calls lookAt every lookEvery until ctx is done.
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

// lookAt checks all connections for silence at the time now.
func (w *wires) lookAt(now time.Time) {
	silent := w.silence(now)
	switch {
	case !w.ends.IsZero():
		if !now.Before(w.ends) {
			w.sever(true)
		}
	case silent >= lastPatience && message.Interrupted(w.start):
		w.sever(false)
		w.ends = now.Add(lastTry)
	case silent == 0:
		w.next = soon
	case silent >= max(w.next, soon):
		message.Waited(w.start, w.what, silent)
		w.next = 2 * silent
	}
}

// silence returns how long the oldest call under way has waited.
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

// Limits of one reply. Redis itself could send more, but no reply to our commands is as large. go-redis allocates any
// length that a reply announces, and reads nested tables by recursion.
const (
	mostBytes  = 256 << 20
	mostTables = 1 << 17
)

// check follows the bytes just read. It returns a *resp.ProtocolError if a reply has or announces too much.
func (c *wire) check(data []byte) error {
	for rest := data; len(rest) > 0; {
		n, ends, err := c.reply.Next(rest)
		c.bytes += n
		r := &c.reply
		if c.bytes > mostBytes || r.Tables > mostTables || r.Values > resp.MostItems || r.Skip > resp.MostText {
			err = resp.Refuse("%.60q", rest)
		}
		if err != nil {
			return err
		}
		if ends {
			c.bytes = 0
		}
		rest = rest[n:]
	}
	return nil
}
