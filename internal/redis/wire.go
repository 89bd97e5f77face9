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

// wires are the connections to one server. They object to what no Redis answers before a client makes room for it, say
// which server keeps everybody waiting, and end the wait on an interrupt: a call that is under way hears of no context.
type wires struct {
	start context.Context // of the server's start: an interrupt ends it, and it has the notice
	what  string          // what one waits for where nothing comes
	end   func()          // ends the watch

	mu      sync.Mutex
	all     map[*wire]bool
	closed  bool        // for good: nothing is dialled any more
	severed atomic.Bool // connections were ended, and what fails since then was interrupted
	hangs   atomic.Bool // the server kept somebody waiting for too long

	next time.Duration // the silence after which another word is due
	ends time.Time     // when all connections are ended for good; zero before they have been ended once
}

func newWires(start context.Context, label string) *wires {
	w := &wires{start: start, what: label + " to answer", all: map[*wire]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	go w.look(ctx)
	return w
}

// attach puts a new connection under the watch.
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
	reply         resp.Reply
	bytes         int // of the reply so far
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

// What one reply may have. Redis itself would send more, but nothing that is asked here is answered with as much.
// go-redis makes room for whatever is announced, and reads tables within tables on its stack.
const (
	mostBytes  = 256 << 20
	mostTables = 1 << 17
)

// check follows what has just been read. It returns a *resp.ProtocolError if a reply has or announces too much.
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
