// Package virtualtime lets a Lua rate limiter decide requests under a clock that is an argument. The server can be any
// unmodified Redis-compatible server.
//
// The script's body is wrapped in a Lua prelude (prelude/). The prelude answers TIME from the virtual clock and
// translates each TTL. Before a command sees a key, the prelude deletes the key if its virtual deadline has passed.
// Because the clock is an argument, one EVAL decides a whole batch of arrivals. This makes virtual time fast.
//
// The package cannot control time.Now inside a client library. It cannot follow WATCH, SUBSCRIBE, or commands that it
// does not know. Each is an error that names the cause.
package virtualtime

import (
	"context"
	"errors"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Client sends commands to a server. It is an interface, so that packages that do not dial do not need go-redis.
type Client interface {
	// Send sends commands together and returns their replies in RESP2. The error is the connection's.
	Send(ctx context.Context, commands ...[]any) (replies [][]byte, err error)
}

// Connection describes the server of a Runner.
type Connection struct {
	Client Client
	// Given: the user named a running server. Keys without a deadline get a real one, so that a killed run leaves no
	// keys forever.
	Given bool
	// Embedded: the server is inside this process. Its Lua reads some comments differently from Redis. Its connection
	// may be a pipe. On a pipe, a second EVAL cannot be sent before the reply to the first one is read.
	Embedded bool
}

// Options configure a Runner.
type Options struct {
	Start time.Time // virtual time of a request with AtUS 0
	Real  time.Time // the real time now; real deadlines lie after it
	// Behind is how far the server's clock may go back before Start. On a given server, keys of a killed run stay
	// longer by this time.
	Behind time.Duration
	// Elapsed is a monotonic clock, used to keep each EVAL short. If it is nil, batches have a fixed size.
	Elapsed func() time.Duration
	// BatchSize fixes the number of arrivals per EVAL. If it is 0, the size depends on the time that an EVAL takes.
	BatchSize int
}

// generous is how far in the real future the first virtual deadline lies. It is longer than any run. On a given server,
// a key of a killed run stays for the sum of three times: generous, the virtual time that had passed, and its own TTL.
const generous = 24 * time.Hour

// Runner decides requests with one program. Its methods are not safe for concurrent use.
type Runner struct {
	server  Connection
	program *script.Program
	wrapped *wrapped
	options Options

	startUS  int64
	offsetMS int64  // real expiry of virtual time 0
	keep     string // real expiry in ms of keys without a virtual deadline; "": none

	*line // shared with the Runners beside it

	size    int            // arrivals per EVAL
	ready   map[string]int // key -> number of steps of Managed that it has seen; its init has been called
	scratch []byte
	scan    resp.Scanner
	parts   []resp.Value // the elements of one answer
	calls   Calls
	written int64    // number of arrivals sent
	pending []*round // rounds that are sent and not yet read
	loaded  bool
	checked bool          // the scripts compile
	unread  *CompileError // why the scripts cannot be parsed; nil: they can

	unsure map[string]bool // keys whose state at the beginning of the pending round is unknown
	readUS int64           // the server's clock at the last decision that was read
}

// line is the time line of a Runner, and the keys on it.
type line struct {
	clockUS int64 // last time on the server's clock
	toldUS  int64 // the same, without the microseconds that apart added
	skewUS  int64 // its error at that time
	living  living
}

// New prepares program for server. It returns a *RefusedError if virtual time cannot follow the script.
func New(server Connection, program *script.Program, o Options) (*Runner, error) {
	w, err := wrap(program, program.Foreign, server.Given)
	var unread *CompileError
	if errors.As(err, &unread) { // the server's own message is better
		w = &wrapped{}
	} else if err != nil {
		return nil, err
	}
	r := &Runner{server: server, program: program, wrapped: w, options: o, size: o.BatchSize, unread: unread,
		line: &line{living: living{deadline: map[string]int64{}}}}
	switch {
	case r.size > 0:
	case program.Foreign:
		r.size = 1 // the script's speed is unknown
	default:
		r.size = 64
	}
	if program.Init != nil {
		r.ready = map[string]int{}
	}
	r.startUS = o.Start.UnixMicro()
	first := o.Real.Add(generous).UnixMilli()
	r.keep = keepText(server.Given, first)
	r.offsetMS = first + o.Behind.Milliseconds() - o.Start.UnixMilli()
	return r, nil
}

// Beside prepares another program on r's keys and time line. The requests of both must come in one order, and one of
// them may decide only when the other has nothing in flight. r counts and deletes the keys of both.
func (r *Runner) Beside(program *script.Program) (*Runner, error) {
	beside, err := New(r.server, program, r.options)
	if err == nil {
		beside.line, beside.offsetMS, beside.keep = r.line, r.offsetMS, r.keep
	}
	return beside, err
}

// keepText returns the real expiry of keys without a virtual deadline, as scripts read it. On a given server it lies
// just before the first possible deadline. So it cannot be confused with a virtual deadline.
func keepText(given bool, firstMS int64) string {
	if !given {
		return ""
	}
	return strconv.FormatInt(firstMS-1, 10)
}

// Deadline converts a key's real deadline to virtual time, in ms since 1970.
func (r *Runner) Deadline(realMS int64) (virtualMS int64) { return realMS - r.offsetMS }

// Calls counts the commands that scripts issued, including the init script.
type Calls struct {
	Decisions int64 // decisions that the script was asked for
	Scripts   int64 // calls of scripts, if several limits are asked one after the other; 0: as many as Decisions
	Total     int64
}

// Calls returns the number of commands that the scripts have issued.
func (r *Runner) Calls() Calls { return r.calls }

// vars returns the values that a client sends, including its own time. number is the request's number in the run.
func (r *Runner) vars(q limit.Request, number int64) script.Vars {
	v := script.Vars{Key: q.Key, Cost: q.Cost, NowUS: r.clientUS(q), ID: number}
	if q.Ended != nil {
		v.ID, v.Actual, v.StartUS = q.Ended.Number, q.Ended.Actual, q.Ended.StartUS
		if q.Ended.Reply != nil {
			v.Reply = *q.Ended.Reply
		}
	}
	return v
}

// clientUS returns the time on the client's clock when q arrives.
func (r *Runner) clientUS(q limit.Request) int64 { return r.startUS + q.AtUS + q.ClientSkewUS }

// serverUS returns the time on the server's clock when q arrives.
func (r *Runner) serverUS(q limit.Request) int64 { return r.startUS + q.AtUS + q.ServerSkewUS }

// Decide decides requests in the order in which they arrive. decisions must have the same length. The error is a
// *CompileError before the first request, a *CallError, a *LostError, ErrLost, ctx's cause, or the connection's. The
// decisions before the failing request are valid, and a *CallError names that request. After a *LostError or ctx's
// cause, no decisions are valid. After any error, the run is over.
func (r *Runner) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if len(requests) == 0 {
		return nil
	}
	if err := r.compile(ctx); err != nil {
		return err
	}
	requests = r.apart(requests)
	for len(requests) > 0 {
		n := r.ascending(requests)
		err := r.stepTo(ctx, requests[0])
		if err == nil {
			err = r.decide(ctx, requests[:n], decisions[:n])
		}
		if err != nil {
			return err
		}
		r.clockUS, r.skewUS = r.serverUS(requests[n-1]), requests[n-1].ServerSkewUS
		requests, decisions = requests[n:], decisions[n:]
	}
	return nil
}

// decide writes the next round and reads the previous one while the server works on another. So the server is always
// busy.
func (r *Runner) decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	var last *round
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var next *round
		next, requests = r.write(requests)
		if last != nil {
			if err := r.wait(ctx, last); err != nil {
				return err
			}
			r.resize(last)
		}
		if next != nil {
			r.send(ctx, next)
		}
		if last != nil {
			if err := r.read(last, decisions); err != nil {
				return err
			}
			decisions = decisions[len(last.requests):]
			if err := r.sweep(ctx, r.readUS/1000); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		last = next
	}
}
