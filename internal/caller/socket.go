package caller

import (
	"context"
	"errors"
	"math"
	"net"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Socket is a connection that nobody else uses: commands are written to it, and replies read from it, without go-redis
// between. It is not safe for concurrent use.
//
// Note: go-redis hides the instant of the write, and its pool checks a connection's health with a system call and sets
// two deadlines per call. A redis.Conn pinned to the worker, without deadlines and with its arguments prepared, closes
// much of the gap to redis-benchmark (BenchmarkClosed in load), but still allocates, and still hides the instant.
type Socket struct {
	conn    net.Conn
	now     func() time.Duration
	ctx     context.Context // the last that was heeded
	forget  func() bool     // ends the watch on it
	cut     atomic.Bool     // ctx was done: the connection is of no use any more
	renewed time.Duration   // when the deadline was last put off

	in   []byte // in[:to] has been read from the connection
	to   int
	last time.Duration // when the last of it came
	scan resp.Scanner
}

// answerTimeout is how long an answer may take; the deadline is put off at most every renewal, not for every call, so
// that giving up takes as much longer.
const (
	answerTimeout = 30 * time.Second
	renewal       = 5 * time.Second
)

// Dial makes a socket of a connection that open opens. now is the clock of its instants, which never steps back.
func Dial(ctx context.Context, open Opener, now func() time.Duration) (*Socket, error) {
	conn, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return &Socket{
		conn: conn, now: now, renewed: math.MinInt64 / 2, in: make([]byte, 4096),
		ctx: context.Background(), forget: func() bool { return true },
	}, nil
}

// Opener opens a connection, logged in and in its database, on which RESP2 is spoken and nothing comes unasked:
// redisserver.Server.Open.
type Opener func(context.Context) (net.Conn, error)

// Close ends the connection.
func (s *Socket) Close() {
	s.forget()
	_ = s.conn.Close()
}

// ErrFinished is the cause with which a context ends that nobody needs any more: no connection is given up for it.
var ErrFinished = errors.New("the run is finished")

// Heed cuts short what the connection does when ctx is done. A run has one context for all its calls, so that there is
// next to nothing to do for each.
func (s *Socket) Heed(ctx context.Context) {
	if s.ctx == ctx {
		return
	}
	s.forget()
	s.ctx, s.forget = ctx, context.AfterFunc(ctx, func() {
		if context.Cause(ctx) != ErrFinished {
			s.interrupt()
		}
	})
}

// interrupt makes reads and writes under way, and all later ones, fail at once.
func (s *Socket) interrupt() {
	s.cut.Store(true)
	_ = s.conn.SetDeadline(time.Unix(1, 0))
}

// Exchange writes one command and reads its reply, which is valid until the next exchange. It fills in all of the
// outcome that a socket knows.
func (s *Socket) Exchange(o *Outcome, command []byte) (resp.Value, error) {
	o.BytesWritten = len(command)
	var err error
	if o.Written, err = s.send(command); err != nil {
		return resp.Value{}, err
	}
	reply, err := s.receive()
	o.Replied, o.BytesRead = s.last, s.to
	return reply, err
}

// send writes a command, and says at which instant.
func (s *Socket) send(command []byte) (time.Duration, error) {
	s.to = 0
	now := s.now()
	if now-s.renewed > renewal {
		s.renewed = now
		_ = s.conn.SetDeadline(time.Now().Add(answerTimeout + renewal))
		if s.cut.Load() {
			s.interrupt() // it came in between
		}
	}
	_, err := s.conn.Write(command)
	return now, err
}

// receive reads the reply, behind which there is nothing. It is valid until the next is received.
func (s *Socket) receive() (resp.Value, error) {
	for {
		s.scan.Reset(s.in[:s.to])
		reply, err := s.scan.Value()
		if err == nil {
			err = s.scan.End()
		}
		if err != resp.ErrShort {
			return reply, err
		}
		if s.to == len(s.in) {
			s.in = append(s.in, make([]byte, len(s.in))...)
		}
		n, err := s.conn.Read(s.in[s.to:])
		s.last = s.now()
		s.to += n
		if err != nil {
			return resp.Value{}, err
		}
	}
}
