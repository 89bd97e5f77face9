package load

import (
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// midnight is when the clock of tests begins that need none of their own.
var midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// ticking is a clock that begins at midnight.
func ticking() Stopwatch {
	began := time.Now()
	return Stopwatch{Origin: midnight, Now: func() time.Duration { return time.Since(began) }}
}

// prepared is a program on a private server, with a connection.
func prepared(t testing.TB, p *script.Program) (*redis.Server, *Target, *Connection) {
	t.Helper()
	s := redistest.Private(t)
	target, c := connected(t, of(s), p.InKeyspace(s.Prefix), ticking())
	return s, target, c
}

// of is a server as callers see it.
func of(s *redis.Server) Endpoint { return Endpoint{Client: s.Client, Open: s.Open} }

// connected is a program on a server, with a connection.
func connected(t testing.TB, server Endpoint, p *script.Program, clock Stopwatch) (*Target, *Connection) {
	t.Helper()
	target, err := Prepare(t.Context(), server, p, clock)
	if err != nil {
		t.Fatal(err)
	}
	c, err := target.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return target, c
}

// watched is a connection that counts how often its deadline is set.
type watched struct {
	net.Conn
	deadlines *atomic.Int64
}

func (w watched) SetDeadline(t time.Time) error {
	w.deadlines.Add(1)
	return w.Conn.SetDeadline(t)
}

// faked is a server that answers EVALSHA as it is told to. Where answer is empty it hangs up.
func faked(t testing.TB, answer func() string) Endpoint {
	dial := redistest.DialTo("tcp", redistest.Listen(t, func(conn net.Conn) { fake(conn, answer) }))
	client := redistest.NewClient(2, dial)
	t.Cleanup(func() { client.Close() })
	return Endpoint{Client: client, Open: dial}
}

// fake serves one connection.
func fake(conn net.Conn, answer func() string) {
	defer conn.Close()
	var data []byte
	for piece := make([]byte, 4096); ; {
		n, err := conn.Read(piece)
		if err != nil {
			return
		}
		for data = append(data, piece[:n]...); ; {
			args, rest, err := resp.Command(data)
			if errors.Is(err, resp.ErrShort) {
				break
			}
			if err != nil {
				return
			}
			reply := "+PONG\r\n"
			switch strings.ToUpper(args[0]) {
			case "HELLO":
				reply = "-ERR unknown command\r\n"
			case "EVALSHA":
				reply = answer()
			}
			if _, err := conn.Write([]byte(reply)); err != nil || reply == "" {
				return
			}
			data = rest
		}
	}
}

// initialised is a program with an init for the same key, whose only argument is arg.
func initialised(source, init, arg string) *script.Program {
	p := scripttest.Program(source, "")
	p.Init, p.InitSource = &script.Call{Keys: p.Decide.Keys, Args: []script.Template{script.Literal(arg)}}, init
	return p
}
