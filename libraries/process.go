package main

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/redis"
	"ratelab/redisclock"
)

// process is the environment of a library: it has a limit, its own clock, and connections to Redis. The library's
// goroutines are in a testing/synctest bubble, in which time passes only between decisions.
type process struct {
	limit.Policy
	dialer redisclock.Dialer // for drivers that accept a dialer
	redis  *redis.Server
	now    time.Time // of its clock, at the last request

	trips   atomic.Int64           // round trips to Redis
	refused atomic.Pointer[string] // the first error reply of Redis during a decision

	asks  chan limit.Request // times count from the beginning of the bubble
	told  chan told
	stops []func() // called at the end

	mu   sync.Mutex  // guards the work outside of the bubble
	todo chan func() // functions to run one after the other
	done chan bool
}

// told is the decision of the library.
type told struct {
	limit.Decision
	err error
}

// patience is how long a library may take for a decision, in real time. Tests change it.
var patience = 20 * time.Second

// bubbles is the time at which a testing/synctest bubble begins.
var bubbles = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// begin starts a process for a limiter, with a clock that stands at start. It returns errors of the library.
func begin(l *limiter.Limiter, server *redis.Server, clock *redisclock.Clock, start time.Time) (*process, error) {
	p := &process{Policy: l.Policy, redis: server, asks: make(chan limit.Request), told: make(chan told),
		todo: make(chan func()), done: make(chan bool)}
	p.dialer = redisclock.Dialer{Clock: clock, Open: func(context.Context, string, string) (c net.Conn, err error) {
		p.outside(func() { c, err = p.connect() })
		return c, err
	}}
	go func() {
		defer func() {
			if r := recover(); r != nil {
				p.told <- told{err: fmt.Errorf("it does not answer: %v", r)}
			}
		}()
		// ended is never closed: the library's goroutines may still run, and a bubble must not end before them.
		ended := make(chan bool)
		synctest.Test(new(testing.T), func(*testing.T) { p.live(find(l.Parameters["name"]), start); <-ended })
	}()
	_, err := p.wait(context.Background())
	return p, err
}

// live opens the library and lets it decide until there are no more requests.
func (p *process) live(l *library, start time.Time) {
	time.Sleep(time.Until(start))
	var decide decide
	p.told <- guarded(func() (_ limit.Decision, err error) {
		decide, err = l.open(p)
		return limit.Decision{}, err
	})
	for q := range p.asks {
		at := bubbles.Add(time.Duration(q.AtUS) * time.Microsecond)
		time.Sleep(time.Until(at))
		t := guarded(func() (limit.Decision, error) { return decide(context.Background(), q.Key, q.Cost) })
		if waited := time.Since(at); waited > 0 && t.err == nil {
			t.err = fmt.Errorf("it takes %v for a decision, while Redis' time stands still: it sleeps or retries",
				waited)
		}
		p.told <- t
	}
	for _, stop := range p.stops {
		stop()
	}
}

// guarded converts a panic to an error.
func guarded(do func() (limit.Decision, error)) (t told) {
	defer func() {
		if r := recover(); r != nil {
			t.err = fmt.Errorf("it panics: %v\n%s", r, debug.Stack())
		}
	}()
	t.Decision, t.err = do()
	return t
}

// ask lets the library decide a request when the process's clock stands at the given time.
func (p *process) ask(ctx context.Context, q limit.Request, at time.Time) (limit.Decision, error) {
	q.AtUS = at.Sub(bubbles).Microseconds()
	p.asks <- q
	return p.wait(ctx)
}

// wait returns the next decision of the library. Meanwhile it runs functions that must run outside of the bubble.
func (p *process) wait(ctx context.Context) (limit.Decision, error) {
	late := time.After(patience)
	for {
		select {
		case t := <-p.told:
			return t.Decision, t.err
		case do := <-p.todo:
			do()
			p.done <- true
		case <-late:
			return limit.Decision{}, fmt.Errorf("it does not answer within %v: it waits for a time that never comes",
				patience)
		case <-ctx.Done():
			return limit.Decision{}, ctx.Err()
		}
	}
}

// outside runs a function outside of the bubble, because no time passes in a bubble while a goroutine waits for the
// network. The library's goroutines call it.
func (p *process) outside(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var panicked any
	p.todo <- func() {
		defer func() { panicked = recover() }()
		do()
	}
	<-p.done
	if panicked != nil {
		panic(panicked)
	}
}

// connect opens a connection to Redis that is not under the clock.
func (p *process) connect() (net.Conn, error) {
	conn, err := p.redis.Open(context.Background())
	return &trip{Conn: conn, process: p}, err
}

var proxies atomic.Int64

// proxy returns the address of a Redis under the clock, for a library that opens its own connections.
func (p *process) proxy() (address string, err error) {
	p.outside(func() {
		var proxy *redisclock.Proxy
		dialer := redisclock.Dialer{Clock: p.dialer.Clock,
			Open: func(context.Context, string, string) (net.Conn, error) { return p.connect() }}
		n := proxies.Add(1) // each process needs its own address: a library may keep one client per address
		listen := fmt.Sprintf("127.%d.%d.%d:0", 1+n>>16&63, n>>8&255, n&255)
		if proxy, err = dialer.Proxy(listen, "", ""); err == nil {
			address = proxy.Addr()
			p.atEnd(func() { proxy.Close() })
		}
	})
	return address, err
}

// atEnd lets the process call stop at its end. The functions are called in reverse order.
func (p *process) atEnd(stop func()) { p.stops = append([]func(){stop}, p.stops...) }

// trip is a connection to Redis that counts round trips. Each write after a read begins a new one.
type trip struct {
	net.Conn
	*process
	asked atomic.Bool
}

func (t *trip) Write(p []byte) (int, error) {
	if !t.asked.Swap(true) {
		t.trips.Add(1)
	}
	return t.Conn.Write(p)
}

func (t *trip) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.asked.Store(false)
	if said := refusal.FindSubmatch(p[:n]); said != nil && !usual.Match(said[1]) {
		text := string(said[1])
		t.refused.CompareAndSwap(nil, &text)
	}
	return n, err
}

// refusal matches an error reply. usual matches the errors that drivers expect.
var (
	refusal = regexp.MustCompile(`(?:^|\n)-([A-Z]+ [^\r\n]*)`)
	usual   = regexp.MustCompile("^(NOSCRIPT|NOPROTO) |setinfo")
)
