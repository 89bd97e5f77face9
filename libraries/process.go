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

// process is what a library takes for its process, with a limit, a clock of its own and connections to Redis. The
// library's goroutines are in a bubble of testing/synctest, in which time passes between decisions alone.
type process struct {
	limit.Policy
	dialer redisclock.Dialer // for a driver that lets one dial
	redis  *redis.Server
	now    time.Time // of its clock, after what it was asked last

	trips   atomic.Int64           // to Redis and back
	refused atomic.Pointer[string] // the first error that Redis has answered in a decision

	asks  chan limit.Request // at times since the bubble's beginning
	told  chan told
	stops []func() // at the end

	mu   sync.Mutex  // of what is done outside of the bubble
	todo chan func() // one after the other
	done chan bool
}

// told is what the library decides.
type told struct {
	limit.Decision
	err error
}

// patience is how long a library may take for a decision, in real time. Tests change it.
var patience = 20 * time.Second

// bubbles begin at this time.
var bubbles = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// begin starts a process for a limiter, with a clock that stands at start. The error is the library's.
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
		ended := make(chan bool) // never: the library's goroutines may go on, and a bubble must not end before them
		synctest.Test(new(testing.T), func(*testing.T) { p.live(find(l.Parameters["name"]), start); <-ended })
	}()
	_, err := p.wait(context.Background())
	return p, err
}

// live opens the library and has it decide until there is no more to ask.
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
			t.err = fmt.Errorf("it lets %v pass in a decision, while Redis' time stands still: it sleeps or retries",
				waited)
		}
		p.told <- t
	}
	for _, stop := range p.stops {
		stop()
	}
}

// guarded makes an error of a panic.
func guarded(do func() (limit.Decision, error)) (t told) {
	defer func() {
		if r := recover(); r != nil {
			t.err = fmt.Errorf("it panics: %v\n%s", r, debug.Stack())
		}
	}()
	t.Decision, t.err = do()
	return t
}

// ask has the library decide a request when the process's clock stands at that time.
func (p *process) ask(ctx context.Context, q limit.Request, at time.Time) (limit.Decision, error) {
	q.AtUS = at.Sub(bubbles).Microseconds()
	p.asks <- q
	return p.wait(ctx)
}

// wait is what the library tells next, while what it wants done outside of its bubble is done.
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
			return limit.Decision{}, fmt.Errorf("it does not answer within %v: it waits for what no clock moves",
				patience)
		case <-ctx.Done():
			return limit.Decision{}, ctx.Err()
		}
	}
}

// outside does what must not be in the bubble, in which no time passes while a goroutine waits for the network. It is
// for the library's goroutines.
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

// proxy is the address of a Redis under the clock, for a library that opens connections of its own.
func (p *process) proxy() (address string, err error) {
	p.outside(func() {
		var proxy *redisclock.Proxy
		dialer := redisclock.Dialer{Clock: p.dialer.Clock,
			Open: func(context.Context, string, string) (net.Conn, error) { return p.connect() }}
		n := proxies.Add(1) // no two have the same address: a library may keep a client for each
		listen := fmt.Sprintf("127.%d.%d.%d:0", 1+n>>16&63, n>>8&255, n&255)
		if proxy, err = dialer.Proxy(listen, "", ""); err == nil {
			address = proxy.Addr()
			p.atEnd(func() { proxy.Close() })
		}
	})
	return address, err
}

// atEnd has stop called when the process ends, the last first.
func (p *process) atEnd(stop func()) { p.stops = append([]func(){stop}, p.stops...) }

// trip is a connection to Redis whose round trips are counted: each time that somebody writes after an answer.
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

// refusal is an error reply. Some are usual, since drivers ask on.
var (
	refusal = regexp.MustCompile(`(?:^|\n)-([A-Z]+ [^\r\n]*)`)
	usual   = regexp.MustCompile("^(NOSCRIPT|NOPROTO) |setinfo")
)
