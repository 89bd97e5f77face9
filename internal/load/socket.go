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

// Socket is a connection without a pool. Commands are written to it and replies are read from it directly, without
// go-redis. It is not safe for concurrent use.
//
// Note: go-redis hides the instant of the write. For each call, its pool checks the connection with a system call and
// sets two deadlines.
type Socket struct {
	conn    net.Conn
	now     func() time.Duration
	ctx     context.Context
	forget  func() bool   // stops waiting for the end of ctx
	cut     atomic.Bool   // ctx has ended, and the connection cannot be used any more
	renewed time.Duration // when the deadline was last moved

	in   []byte // in[:to] has been read from the connection
	to   int
	last time.Duration // when the last bytes arrived
	scan resp.Scanner
}

// answerTimeout is how long a reply may take. The deadline is not moved for each call but at most once every renewal. A
// timeout may therefore come later, by up to that time.
const (
	answerTimeout = 30 * time.Second
	renewal       = 5 * time.Second
)

// Opener opens a RESP2 connection that is authenticated, has its database selected, and gets no push messages:
// redis.Server.Open.
type Opener func(context.Context) (net.Conn, error)

// Dial returns a socket on a connection from open. When ctx ends, reads and writes fail. now is the clock for instants,
// which never steps back.
func Dial(ctx context.Context, open Opener, now func() time.Duration) (*Socket, error) {
	conn, err := open(ctx)
	if err != nil {
		return nil, err
	}
	s := &Socket{conn: conn, now: now, ctx: ctx, renewed: math.MinInt64 / 2, in: make([]byte, 4096)}
	s.forget = context.AfterFunc(ctx, s.interrupt)
	return s, nil
}

// Close closes the connection.
func (s *Socket) Close() {
	s.forget()
	_ = s.conn.Close()
}

// interrupt makes all reads and writes fail, those in progress and later ones.
func (s *Socket) interrupt() {
	s.cut.Store(true)
	_ = s.conn.SetDeadline(time.Unix(1, 0))
}

// Exchange writes one command and reads its reply. No bytes may follow the reply. The reply is valid until the next
// call. Exchange sets all fields of the outcome that a socket knows.
func (s *Socket) Exchange(o *Outcome, command []byte) (resp.Value, error) {
	s.to = 0
	o.Written, o.BytesWritten = s.now(), len(command)
	if o.Written-s.renewed > renewal {
		s.renewed = o.Written
		_ = s.conn.SetDeadline(time.Now().Add(answerTimeout + renewal))
		if s.cut.Load() {
			s.interrupt() // ctx ended before the deadline was set
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
