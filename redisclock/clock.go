// Package redisclock moves the time of a real Redis or Valkey in tests. TIME, TTLs and what expires follow a Clock that
// the test sets and advances, in scripts and in plain commands; no test sleeps.
//
// A Dialer puts the connections of any Go driver under a Clock, Hook those of a go-redis client, and a Proxy those of
// clients in other languages. The server is unmodified. On its way to the server a script becomes the same script
// inside a Lua prelude, and a plain command a script of one line.
//
// A command that the clock cannot follow fails with an error that begins with VT and names it: WATCH, SUBSCRIBE,
// blocking commands, streams, functions, commands that draw at random, and whatever else is not known. RESP3 is refused
// with NOPROTO, so that clients go on with RESP2. The time of the client's own process is not steered. INFO and
// CLIENT LIST tell the server's own time. docs/clock.md has the details.
//
// Deadlines are the same for every Clock of every process. Clients of the same keys need the same Clock: a command
// takes place at the time of its own connection's. The keys that a test leaves stay on the server: a test begins with
// FLUSHDB, or has a server of its own.
package redisclock

import (
	"fmt"
	"net"
	"sync"
	"time"

	"ratelab/internal/virtualtime"
)

// latest is what the server's Lua counts exactly: 2^53 µs, in the year 2255.
const latest = 1<<53 - 1

// Clock is the time of the servers whose connections are under it. It stands still between Set and Advance. Its methods
// may be called concurrently with each other and with commands. A command takes place at the time at which it
// is written, a transaction at that of its EXEC.
//
// The clock may move back. Keys that had expired by then are gone, as with Redis; they are deleted before the next
// command on the same database.
type Clock struct {
	hook *virtualtime.Hook

	mu  sync.Mutex
	now time.Time
	// of each database that has been used: the latest time, in µs, before the clock stepped back; 0 once that is done
	after map[database]int64
}

// database is what SELECT chooses on a server.
type database struct{ network, address, number string }

// New makes a clock that stands at start. It panics if start is before 1970 or after 2254.
func New(start time.Time) *Clock {
	c := &Clock{hook: virtualtime.NewSharedHook(), after: map[database]int64{}}
	c.Set(start)
	return c
}

// Now is the clock's time, in UTC. Commands see it in whole microseconds.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to t. It panics if t is before 1970 or after 2254.
func (c *Clock) Set(t time.Time) {
	if _, err := c.move(func(time.Time) time.Time { return t }); err != nil {
		panic(err)
	}
}

// Advance moves the clock by d, back if d is negative. It panics where that is before 1970 or after 2254.
func (c *Clock) Advance(d time.Duration) {
	if _, err := c.move(func(now time.Time) time.Time { return now.Add(d) }); err != nil {
		panic(err)
	}
}

// move sets the clock to what to makes of its time.
func (c *Clock) move(to func(now time.Time) time.Time) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, before := to(c.now).UTC(), c.now.UnixMicro()
	if us := t.UnixMicro(); us < 0 || us > latest {
		return c.now, fmt.Errorf("redisclock: the time %d µs since 1970; want 0 to %d", us, int64(latest))
	}
	if t.Before(c.now) {
		for db, after := range c.after {
			c.after[db] = max(after, before)
		}
	}
	c.now = t
	return t, nil
}

// instant is the time, in µs, for a command on the database. Where the clock has stepped back since the last one, after
// is the latest time before that.
func (c *Clock) instant(db database) (now, after int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	after = c.after[db]
	c.after[db] = 0
	return c.now.UnixMicro(), after
}

// Conn puts a connection to a Redis under the clock. TLS and login, if any, come as without it. The connection must be
// new: nothing may have been sent but a login.
func (c *Clock) Conn(server net.Conn) net.Conn { return newConn(c, server) }
