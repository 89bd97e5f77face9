package caller_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// midnight is when the clock of tests begins that need none of their own.
var midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// prepared is a program on a private server, with a connection.
func prepared(t testing.TB, p *script.Program, o caller.Options) (*redisserver.Server, *caller.Target,
	*caller.Connection) {
	t.Helper()
	s := redisservertest.Private(t)
	target, c := connected(t, of(s), p.InKeyspace(s.Prefix), o)
	return s, target, c
}

// of is a server as callers see it.
func of(s *redisserver.Server) caller.Server { return caller.Server{Client: s.Client, Open: s.Open} }

// connected is a program on a server, with a connection.
func connected(t testing.TB, server caller.Server, p *script.Program, o caller.Options) (*caller.Target,
	*caller.Connection) {
	t.Helper()
	if o.Now == nil {
		began := time.Now()
		o.Origin, o.Now = midnight, func() time.Duration { return time.Since(began) }
	}
	target, err := caller.Prepare(t.Context(), server, p, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := target.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return target, c
}

// watched is a connection that notes what is written to it and its deadlines, and gives at most so many bytes at once.
type watched struct {
	net.Conn
	seen *seen
	most int
}

type seen struct {
	writes    []string
	deadlines atomic.Int64
}

func (w watched) Write(p []byte) (int, error) {
	w.seen.writes = append(w.seen.writes, string(p))
	return w.Conn.Write(p)
}

func (w watched) SetDeadline(t time.Time) error {
	w.seen.deadlines.Add(1)
	return w.Conn.SetDeadline(t)
}

func (w watched) Read(p []byte) (int, error) { return w.Conn.Read(p[:min(len(p), w.most)]) }

// watching is the same server, with connections that are watched.
func watching(server caller.Server, most int) (caller.Server, *seen) {
	open, s := server.Open, &seen{}
	server.Open = func(ctx context.Context) (net.Conn, error) {
		conn, err := open(ctx)
		return watched{conn, s, most}, err
	}
	return server, s
}

// faked is a server that answers EVALSHA as it is told to. Where answer is empty it hangs up.
func faked(t testing.TB, answer func() string) caller.Server {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go fake(conn, answer)
		}
	}()
	dial := redisserver.DialTo("tcp", l.Addr().String())
	client := redisserver.NewClient(2, dial)
	t.Cleanup(func() { client.Close() })
	return caller.Server{Client: client, Open: dial}
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

// expires is how many times the server was told PEXPIRE.
func expires(t *testing.T, s *redisserver.Server) (calls int) {
	t.Helper()
	_, stats, _ := strings.Cut(s.Client.Info(t.Context(), "commandstats").Val(), "cmdstat_pexpire:calls=")
	digits, _, _ := strings.Cut(stats, ",")
	calls, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return calls
}
