package load

import (
	"cmp"
	"context"
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
// two deadlines per call.
type Socket struct {
	conn    net.Conn
	now     func() time.Duration
	ctx     context.Context
	forget  func() bool   // ends the watch on it
	cut     atomic.Bool   // ctx was done: the connection is of no use any more
	renewed time.Duration // when the deadline was last put off

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

// Opener opens a connection, logged in and in its database, on which RESP2 is spoken and nothing comes unasked:
// redis.Server.Open.
type Opener func(context.Context) (net.Conn, error)

// Dial makes a socket of a connection that open opens. When ctx is done it cuts short what the connection does. now is
// the clock of its instants, which never steps back.
func Dial(ctx context.Context, open Opener, now func() time.Duration) (*Socket, error) {
	conn, err := open(ctx)
	if err != nil {
		return nil, err
	}
	s := &Socket{conn: conn, now: now, ctx: ctx, renewed: math.MinInt64 / 2, in: make([]byte, 4096)}
	s.forget = context.AfterFunc(ctx, s.interrupt)
	return s, nil
}

// Close ends the connection.
func (s *Socket) Close() {
	s.forget()
	_ = s.conn.Close()
}

// interrupt makes reads and writes under way, and all later ones, fail at once.
func (s *Socket) interrupt() {
	s.cut.Store(true)
	_ = s.conn.SetDeadline(time.Unix(1, 0))
}

// Exchange writes one command and reads its reply, behind which there is nothing. The reply is valid until the next
// exchange. It fills in all of the outcome that a socket knows.
func (s *Socket) Exchange(o *Outcome, command []byte) (resp.Value, error) {
	s.to = 0
	o.Written, o.BytesWritten = s.now(), len(command)
	if o.Written-s.renewed > renewal {
		s.renewed = o.Written
		_ = s.conn.SetDeadline(time.Now().Add(answerTimeout + renewal))
		if s.cut.Load() {
			s.interrupt() // it came in between
		}
	}
	_, err := s.conn.Write(command)
	var reply resp.Value
	if err == nil {
		reply, err = s.receive()
	}
	o.Replied, o.BytesRead = s.last, s.to
	if err != nil {
		args, _, _ := resp.Command(command)
		err = cmp.Or(s.ctx.Err(), resp.Named(err, args[0]))
	}
	return reply, err
}

func (s *Socket) receive() (resp.Value, error) {
	for {
		n, err := s.conn.Read(s.in[s.to:])
		s.last = s.now()
		s.to += n
		if err != nil {
			return resp.Value{}, err
		}
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
	}
}
