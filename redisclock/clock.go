// Package redisclock controls the time of a real Redis or Valkey in tests. TIME, TTLs and expiry follow a Clock that
// the test sets and advances, both in scripts and in plain commands. No test has to sleep.
//
// A Dialer puts the connections of any Go driver under a Clock. A Hook does so for a go-redis client, and a Proxy for
// clients in other languages. The server is not modified. On its way to the server, a script is wrapped in a Lua
// prelude, and a plain command becomes a script of one line.
//
// A command that the clock cannot follow fails with an error that begins with VT and names the command. Such commands
// are WATCH, SUBSCRIBE, blocking commands, streams, functions, random commands, and all unknown commands. RESP3 is
// refused with NOPROTO, so that clients continue with RESP2. The time of the client's own process is not controlled.
// INFO and CLIENT LIST show the server's own time. docs/clock.md has the details.
//
// Deadlines are the same for all Clocks of all processes. Clients of the same keys must use the same Clock: a command
// uses the time of its own connection's Clock. The keys of a test stay on the server. So a test should begin with
// FLUSHDB, or use its own server.
package redisclock

import (
	"fmt"
	"net"
	"sync"
	"time"

	"ratelab/internal/virtualtime"
)

// latest is the latest time that the server's Lua can count exactly: 2^53 µs, in the year 2255.
const latest = 1<<53 - 1

// Clock is the time of all connections under it. It stands still between calls of Set and Advance. Its methods may be
// called concurrently with each other and with commands. A command has the time at which it is written. A transaction
// has the time of its EXEC.
//
// The clock may move back. As with Redis, keys that had expired before do not come back: they are deleted before the
// next command on the same database.
type Clock struct {
	hook *virtualtime.Hook

	mu  sync.Mutex
	now time.Time
	// for each used database: the latest time in µs before the clock stepped back; 0 after its expired keys were
	// deleted
	after map[database]int64
}

// database is a database of a server, as selected with SELECT.
type database struct{ network, address, number string }

// New returns a clock that stands at start. It panics if start is before 1970 or after 2254.
func New(start time.Time) *Clock {
	c := &Clock{hook: virtualtime.NewSharedHook(), after: map[database]int64{}}
	c.Set(start)
	return c
}

// Now returns the clock's time in UTC. Commands see it in whole microseconds.
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

// Advance moves the clock by d, or back if d is negative. It panics if the result is before 1970 or after 2254.
func (c *Clock) Advance(d time.Duration) {
	if _, err := c.move(func(now time.Time) time.Time { return now.Add(d) }); err != nil {
		panic(err)
	}
}

// move sets the clock to the result of to, which gets the current time.
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

// instant returns the time in µs for a command on the database. If the clock has stepped back since the last command,
// after is the latest time before that.
func (c *Clock) instant(db database) (now, after int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	after = c.after[db]
	c.after[db] = 0
	return c.now.UnixMicro(), after
}

// Conn puts a connection to a Redis under the clock. TLS and login work as without it. The connection must be new: no
// commands except a login may have been sent.
func (c *Clock) Conn(server net.Conn) net.Conn { return newConn(c, server) }
