// Package virtualtime lets a Lua rate limiter decide requests under a clock that is an argument, on an unmodified
// Redis-compatible server.
//
// The script's body is wrapped in a Lua prelude (prelude/) that answers TIME from the virtual clock, translates
// every TTL, and buries a key whose virtual deadline has passed before a command sees it. Because the clock is an
// argument, one EVAL decides a whole batch of arrivals, which is what makes it fast.
//
// What it does not do: steer time.Now inside a client library, script WATCH or SUBSCRIBE, or follow a command that
// it does not know. Each is an error with the name of what could not be done.
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

// Client is all that virtual time needs of a server. It keeps go-redis out of whatever does not dial.
type Client interface {
	// Send sends commands together, and gives their replies in RESP2. An error is the connection's.
	Send(ctx context.Context, commands ...[]any) (replies [][]byte, err error)
}

// Connection is the connection that a Runner needs.
type Connection struct {
	Client Client
	// Given: the server is not ours. Keys without a deadline then get a real one, so that a killed run leaves nothing
	// for good.
	Given bool
	// Embedded: the server is miniredis. Its Lua reads some comments otherwise and ends the process over some replies;
	// and where its connection is a pipe, a second EVAL cannot be sent while the answer to the first one waits to be
	// read.
	Embedded bool
}

// Options steer a Runner.
type Options struct {
	Start time.Time // the virtual time of a request with AtUS 0
	Real  time.Time // the real time now: deadlines are placed after it
	// Behind is how far the server's clock may step back behind Start. Keys of a killed run stay on a given server for
	// so much longer.
	Behind time.Duration
	// Elapsed is a monotonic clock, for keeping each EVAL short; nil: batches have a fixed size.
	Elapsed func() time.Duration
	// BatchSize fixes the number of arrivals per EVAL; 0: by time.
	BatchSize int
}

// generous is how far in the real future the first virtual deadline lies: longer than any run takes. So long a key of a
// killed run stays on a given server, beyond the virtual time that had passed and its own TTL.
const generous = 24 * time.Hour

// Runner decides requests with one program. Its methods are not safe for concurrent use.
type Runner struct {
	server  Connection
	program *script.Program
	wrapped *wrapped
	options Options

	startUS  int64
	offsetMS int64  // real expiry of virtual time 0
	keep     string // real expiry, ms, of keys without a virtual one; "": none

	clockUS int64 // what the server's clock showed last
	toldUS  int64 // likewise, before apart moved it
	skewUS  int64 // how far it was off then

	size    int            // arrivals per EVAL
	ready   map[string]int // keys whose init has been called, and how many steps of Managed each has seen
	scratch []byte
	scan    resp.Scanner
	parts   []resp.Value // of one answer
	living  living
	calls   Calls
	written int64    // arrivals sent so far
	pending []*round // sent and not yet read
	loaded  bool
	checked bool          // that the scripts compile
	unread  *CompileError // why they cannot, if it is known

	unsure map[string]bool // keys of which it is not known how they were when the round on its way began
	readUS int64           // what the server's clock showed at the last decision that was read
}

// New prepares program for server. The error is a *RefusedError where the script does what virtual time cannot follow.
func New(server Connection, program *script.Program, o Options) (*Runner, error) {
	w, err := wrap(program, program.Foreign, server.Given)
	var unread *CompileError
	if errors.As(err, &unread) { // the server has better words for it
		w = &wrapped{}
	} else if err != nil {
		return nil, err
	}
	r := &Runner{server: server, program: program, wrapped: w, options: o, size: o.BatchSize, unread: unread,
		living: living{deadline: map[string]int64{}}}
	switch {
	case r.size > 0:
	case program.Foreign:
		r.size = 1 // nobody knows how slow it is
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

// keepText is the real expiry of keys without a virtual one, as scripts want it: on a given server it is just before
// the first deadline there can be, so that no virtual one is mistaken for it.
func keepText(given bool, firstMS int64) string {
	if !given {
		return ""
	}
	return strconv.FormatInt(firstMS-1, 10)
}

// Deadline is the instant in virtual time, in ms since 1970, that a key's real deadline stands for.
func (r *Runner) Deadline(realMS int64) (virtualMS int64) { return realMS - r.offsetMS }

// Calls are commands that scripts issued, those of the init script included.
type Calls struct {
	Decisions int64 // that the script was asked for
	Total     int64
}

// Calls are the commands that the scripts have issued so far.
func (r *Runner) Calls() Calls { return r.calls }

// vars are what the client says: its own clock among them. The number is the request's in the run.
func (r *Runner) vars(q limit.Request, number int64) script.Vars {
	return script.Vars{Key: q.Key, Cost: q.Cost, NowUS: r.clientUS(q), ID: number}
}

// clientUS is what the client's clock shows when q arrives.
func (r *Runner) clientUS(q limit.Request) int64 { return r.startUS + q.AtUS + q.ClientSkewUS }

// serverUS is what the server's clock shows when q arrives.
func (r *Runner) serverUS(q limit.Request) int64 { return r.startUS + q.AtUS + q.ServerSkewUS }

// Decide decides requests in the order in which they arrive; decisions has the same length. On an error the decisions
// before the failing one are valid, and the error names its request: it is a *CompileError before the first request, a
// *CallError, ErrLost, ctx's cause, or the connection's. After a *LostError and ctx's cause none are valid. The run is
// over then.
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

// decide writes the next round, and reads the last one, while the server works on one: the server never idles.
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
