package redis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
)

// monsters are replies at which go-redis panics, runs out of memory or of its stack: one for each bound. Each says how
// its message quotes it.
var monsters = map[string]string{
	"$2147483647\r\n":                      `"$2147483647\r\n"`,
	"$2147483648\r\n":                      `"$2147483648"`,
	"*100000000\r\n":                       `"*100000000\r\n"`,
	strings.Repeat("*10000000\r\n", 2):     `"*10000000\r\n*10000000\r\n"`,
	strings.Repeat("*1\r\n", mostTables+1): `"*1`,
	"$x\r\n":                               `"$x"`,
	"?\r\n":                                `"?"`,
}

// A server that replies so gets one line, which names what was sent: at the start and in the middle of a run.
func TestAMonstrousReplyIsOneLine(t *testing.T) {
	for monster, quote := range monsters {
		reply := func(command []string) string {
			switch {
			case command[0] == "HELLO":
				return "-ERR unknown command 'HELLO'\r\n"
			case strings.HasPrefix(command[0], "EVAL"):
				return monster
			}
			return "+# Keyspace\r\n"
		}
		got := refusal(t, "redis://"+listen(t, speaker(reply)))
		wantText(t, got, ": the server replied "+quote)
		wantText(t, got, " to EVAL; want Redis 7.0 or later, or Valkey")
		s := answering(t, speaker(reply))
		_, err := s.Send(t.Context(), []any{"TIME"}, []any{"EVALSHA"})
		wantText(t, explained(t, err, s), " to TIME, EVALSHA; want Redis 7.0 or later, or Valkey")
	}
}

// A reply of another type than its command has is one line, too.
func TestAReplyOfAnotherType(t *testing.T) {
	got := refusal(t, "redis://"+listen(t, speaker(func([]string) string { return "+OK\r\n" })))
	wantText(t, got, `: the server replied "+OK" to HELLO; want Redis 7.0 or later`)
}

// answering is a server that is there and answers each command with reply, without having been asked who it is.
func answering(t *testing.T, serve func(net.Conn)) *Server {
	t.Helper()
	addr := listen(t, serve)
	s := newServer(KindURL, target{network: "tcp", addr: addr, label: "redis://" + addr},
		settings{poolSize: 2, ctx: t.Context()})
	t.Cleanup(func() { s.Close() })
	return s
}

// A reply is bounded as a whole, and so is the next one.
func TestAllOfAReplyIsBounded(t *testing.T) {
	var c wire
	piece := append([]byte("$1048576\r\n"), make([]byte, 1<<20)...)
	piece = append(piece, "\r\n"...)
	passed := 0
	for err := c.check([]byte("*1000\r\n")); err == nil && passed < 999; passed++ {
		err = c.check(piece)
	}
	if passed != 256 {
		t.Errorf("%d MB passed; want 256", passed)
	}
	for c = (wire{}); passed > 0; passed-- {
		if err := c.check(piece); err != nil {
			t.Fatalf("a reply of its own: %v", err)
		}
	}
}

// Whatever a server answers, go-redis behind a wire neither panics nor makes room for it.
func FuzzClient(f *testing.F) {
	for monster := range monsters {
		if len(monster) < 1000 { // long ones hold the search up
			f.Add([]byte(monster))
		}
	}
	for _, text := range []string{"+OK\r\n", "*2\r\n:1\r\n$1\r\nx\r\n", "-ERR no\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, raw := range []bool{false, true} {
			at := target{wires: newWires(t.Context(), "fuzz"),
				dial: func(context.Context) (net.Conn, error) { return &canned{Reader: bytes.NewReader(data)}, nil }}
			o := options(at, 1)
			o.Protocol, o.DB = 2, 0
			client := goredis.NewClient(o)
			if raw {
				_ = client.Process(t.Context(), goredis.NewRawCmd(t.Context(), "X"))
			} else {
				_ = client.Do(t.Context(), "X").Err()
			}
			client.Close()
		}
	})
}

// canned is a connection on which the answers are there before the questions. The handshake's is an error.
type canned struct {
	net.Conn
	io.Reader
	greeted bool
}

func (c *canned) Read(p []byte) (int, error) {
	if !c.greeted {
		c.greeted = true
		return copy(p, "-ERR unknown command 'HELLO'\r\n"), nil
	}
	return c.Reader.Read(p)
}

func (*canned) Write(p []byte) (int, error)      { return len(p), nil }
func (*canned) Close() error                     { return nil }
func (*canned) SetDeadline(time.Time) error      { return nil }
func (*canned) SetReadDeadline(time.Time) error  { return nil }
func (*canned) SetWriteDeadline(time.Time) error { return nil }
func (*canned) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*canned) LocalAddr() net.Addr              { return &net.TCPAddr{} }

// silent is a server that takes what it is sent and never answers a command of that name; it tells asked of each.
func silent(name string, asked chan<- string) func(net.Conn) {
	return func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for {
			command, err := readCommand(r)
			switch {
			case err != nil:
				return
			case command[0] == name:
				asked <- name
			case command[0] == "HELLO":
				io.WriteString(conn, "-ERR unknown command 'HELLO'\r\n")
			default:
				io.WriteString(conn, "+PONG\r\n")
			}
		}
	}
}

// underWay waits until somebody waits for an answer. What was sent before it must be answered, or it may take that
// wait for the one that is meant.
func underWay(w *wires) {
	for {
		w.mu.Lock()
		for c := range w.all {
			if c.reads.Load()%2 == 1 {
				w.mu.Unlock()
				return
			}
		}
		w.mu.Unlock()
		runtime.Gosched()
	}
}

// A server that stops answering is named, again and again; the first interrupt then ends the wait, and what is to clean
// up has one more second.
func TestASilentServerIsNamedAndInterrupted(t *testing.T) {
	request := make(chan string, 2)
	s := answering(t, silent("EVALSHA", request))
	w := s.target.wires
	var said []string
	ctx, interrupt := context.WithCancelCause(t.Context())
	w.start = message.WithNotice(ctx, func(line string) { said = append(said, line) })

	failed := make(chan error, 1)
	go func() { failed <- s.Client.Do(context.Background(), "EVALSHA").Err() }()
	<-request
	underWay(w)
	from := time.Unix(0, 0)
	for second := range 8 {
		w.lookAt(from.Add(time.Duration(second) * time.Second))
	}
	want := []string{"waiting for " + s.target.label + " to answer (3 s so far; Ctrl-C ends)",
		"waiting for " + s.target.label + " to answer (6 s so far; Ctrl-C ends)"}
	if !slices.Equal(said, want) {
		t.Errorf("%q; want %q", said, want)
	}

	interrupt(message.ErrInterrupted)
	w.lookAt(from.Add(8 * time.Second))
	if err := Explain(<-failed, s); !errors.Is(err, message.ErrInterrupted) {
		t.Errorf("%v; want an interruption", err)
	}

	if err := s.Client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("what is called next: %v; want a try", err)
	}
	w.lookAt(from.Add(8*time.Second + lastTry))
	if err := Explain(s.Client.Ping(t.Context()).Err(), s); !errors.Is(err, message.ErrInterrupted) {
		t.Errorf("and later: %v; want an interruption", err)
	}
	if !s.Hangs() {
		t.Error("its end would be waited for")
	}
}

// A server that answers now and then is not silent, and an interrupt does not end its connections.
func TestAServerThatAnswersIsNotInterrupted(t *testing.T) {
	var said atomic.Int64
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(message.ErrInterrupted)
	s := answering(t, silent("", nil))
	w := s.target.wires
	w.start = message.WithNotice(ctx, func(string) { said.Add(1) })
	for second := range 10 {
		if err := s.Client.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		w.lookAt(time.Unix(int64(second), 0))
	}
	if said.Load() != 0 || s.Hangs() {
		t.Errorf("%d words on a server that answers", said.Load())
	}
}

// An interrupt ends the start on a server that does not answer, wherever it has stopped.
func TestAnInterruptEndsAStart(t *testing.T) {
	for _, command := range []string{"PING", "HELLO", "INFO", "EVAL"} {
		t.Run(command, func(t *testing.T) {
			ctx, interrupt := context.WithCancelCause(t.Context())
			request := make(chan struct{})
			addr := listen(t, func(conn net.Conn) {
				r := bufio.NewReader(conn)
				for {
					got, err := readCommand(r)
					switch {
					case err != nil:
						return
					case got[0] == command:
						close(request)
					case got[0] == "HELLO":
						io.WriteString(conn, "-ERR unknown command 'HELLO'\r\n")
					case got[0] == "INFO":
						io.WriteString(conn, "+# Keyspace\r\n")
					default:
						io.WriteString(conn, "+PONG\r\n")
					}
				}
			})
			go func() { <-request; interrupt(message.ErrInterrupted) }()
			_, err := Start(ctx, "redis://"+addr, withEnv(noEnv))
			if !errors.Is(err, message.ErrInterrupted) ||
				!strings.HasSuffix(err.Error(), "redis://"+addr+" to answer") {
				t.Errorf("%v; want an interruption", err)
			}
		})
	}
}
