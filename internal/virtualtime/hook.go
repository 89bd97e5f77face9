package virtualtime

import (
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is the virtual time that a Hook shows. It may be set while the library works.
type Clock struct{ us atomic.Int64 }

// Set moves the clock to us microseconds since 1970.
func (c *Clock) Set(us int64) { c.us.Store(us) }

// Now is the clock's time in microseconds since 1970.
func (c *Clock) Now() int64 { return c.us.Load() }

// Hook puts an unmodified Go library that uses go-redis under a Clock: it wraps each Conn of the client, as
// redis.EachConn does. What the library sends is rewritten on its way to the server: a script becomes the same
// script inside the prelude, a plain command a script of one line. The replies, pipelines and transactions are the
// server's own.
//
// It cannot steer time.Now inside the library, nor timers. WATCH, SUBSCRIBE, blocking commands, functions, and whatever
// else the prelude does not know fail with their name. A plain command's errors and integers pass through Lua, where
// an integer beyond 2^53 is an error. The hook deletes nothing at the end. On a given server it has to be a
// NewGuestHook: a key without a deadline stays otherwise. Commands that are sent at one moment, as in a
// pipeline, happen at one virtual instant.
type Hook struct {
	clock    *Clock
	offsetMS int64
	keep     string       // the real expiry, ms, of keys that have no deadline of their own; "": none
	sent     atomic.Int64 // scripts so far: each has its own random numbers

	mu      sync.Mutex
	sources map[string]string // SHA-1 -> what the library has sent or loaded
	wrapped map[string]string // SHA-1 -> the same in the prelude
	several string            // the wrapper of Several; "": not yet made
}

// NewHook makes a hook. real is the real time now: the deadlines of the run lie a day and more after it, and
// clock must not be set to a time before its present one.
func NewHook(clock *Clock, real time.Time) *Hook {
	return &Hook{
		clock:    clock,
		offsetMS: real.Add(generous).UnixMilli() - clock.Now()/1000,
		sources:  map[string]string{},
		wrapped:  map[string]string{},
	}
}

// NewGuestHook makes a hook for a given server, on which every key has a deadline.
func NewGuestHook(clock *Clock, real time.Time) *Hook {
	h := NewHook(clock, real)
	h.keep = strconv.FormatInt(real.Add(generous).UnixMilli()-1, 10) // before the first deadline there can be: see New
	return h
}

// Conn is a new connection on which what the library sends is rewritten.
func (h *Hook) Conn(inner net.Conn) net.Conn { return newConn(inner, h.rewrite) }
