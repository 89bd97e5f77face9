package virtualtime

import (
	"net"
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

// Hook puts an unmodified Go library that uses go-redis under a Clock: the Dialer of its client gives each
// connection to Conn. What the library sends is rewritten on its way to the server: a script becomes the same
// script inside the prelude, a plain command a script of one line. The replies, pipelines and transactions are the
// server's own.
//
// It cannot steer time.Now inside the library, nor timers. WATCH, SUBSCRIBE, blocking commands, functions, and whatever
// else the prelude does not know fail with their name. A plain command's errors and integers pass through Lua, where
// an integer beyond 2^53 is an error. The hook deletes nothing at the end. Commands
// that are sent at one moment, as in a pipeline, happen at one virtual instant.
type Hook struct {
	clock    *Clock
	offsetMS int64
	keep     string       // the real expiry, ms, of keys that have no deadline of their own; "": none
	sent     atomic.Int64 // scripts so far: each has its own random numbers

	mu      sync.Mutex
	sources map[string]string // SHA-1 -> what the library has sent or loaded
	wrapped map[wrapping]string
}

// wrapping is a script in the prelude: what it is, and the part of the prelude that calls it.
type wrapping struct{ source, flags, caller string }

// NewHook makes a hook. real is the real time now: the deadlines of the run lie a day and more after it, and
// clock must not be set to a time before its present one. On a given server every key has a real deadline.
func NewHook(clock *Clock, real time.Time, given bool) *Hook {
	first := real.Add(generous).UnixMilli()
	return &Hook{
		clock:    clock,
		offsetMS: first - clock.Now()/1000,
		keep:     keepText(given, first),
		sources:  map[string]string{},
		wrapped:  map[wrapping]string{},
	}
}

// Conn is a new connection on which what the library sends is rewritten.
func (h *Hook) Conn(inner net.Conn) net.Conn { return newConn(inner, h.rewrite) }
