package redisserver

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

	"github.com/redis/go-redis/v9"

	"ratelab/internal/resp"
	"ratelab/internal/waiting"
)

// monsters are answers at which go-redis panics, runs out of memory or of its stack.
var monsters = map[string]string{
	"a text of all bytes":   "$9223372036854775807\r\n",
	"a text of a terabyte":  "$1099511627776\r\nxx",
	"a table of a billion":  "*1000000000\r\n",
	"a map of too many":     "%4611686018427387904\r\n",
	"tables without an end": strings.Repeat("*1\r\n", resp.Deepest+1),
	"a text in a table":     "*2\r\n:1\r\n$9223372036854775807\r\n",
	"no length":             "$x\r\n",
}

// A server that answers so, whatever it is asked, gets one line.
func TestAMonstrousAnswerIsOneLine(t *testing.T) {
	for name, monster := range monsters {
		for _, from := range []string{"HELLO", "INFO", "EVAL"} {
			t.Run(name+" from "+from+" on", func(t *testing.T) {
				var begun atomic.Bool
				addr := listen(t, speaker(func(command []string) string {
					if command[0] == from {
						begun.Store(true)
					}
					switch {
					case begun.Load():
						return monster
					case command[0] == "HELLO":
						return "-ERR unknown command 'HELLO'\r\n"
					}
					return "+OK\r\n"
				}))
				wantText(t, refusal(t, "redis://"+addr),
					"redis://"+addr+": answered something that is not the Redis protocol, or more of it than there "+
						"can be (")
			})
		}
	}
}

// answering is a server that is there and answers each command with reply, without having been asked who it is.
func answering(t *testing.T, watch waiting.Watch, serve func(net.Conn)) *Server {
	t.Helper()
	addr := listen(t, serve)
	s := newServer(KindURL, target{network: "tcp", addr: addr, label: "redis://" + addr},
		settings{poolSize: 2, watch: watch})
	t.Cleanup(func() { s.Close() })
	return s
}

// However a client asks, in the middle of a run.
func TestAMonstrousAnswerInTheMiddle(t *testing.T) {
	calls := map[string]func(context.Context, Client) error{
		"plain": func(ctx context.Context, c Client) error { return c.Do(ctx, "EVALSHA").Err() },
		"raw": func(ctx context.Context, c Client) error {
			return c.Process(ctx, redis.NewRawCmd(ctx, "EVALSHA"))
		},
		"pipeline": func(ctx context.Context, c Client) error {
			pipe := c.Pipeline()
			_ = pipe.Process(ctx, redis.NewRawCmd(ctx, "EVALSHA"))
			_, err := pipe.Exec(ctx)
			return err
		},
	}
	for name, monster := range monsters {
		for how, call := range calls {
			t.Run(name+", "+how, func(t *testing.T) {
				s := answering(t, waiting.Watch{}, speaker(func(c []string) string {
					if c[0] != "EVALSHA" {
						return "+OK\r\n"
					}
					return monster
				}))
				err := Explain(call(t.Context(), s.Client), s)
				var absent *Unavailable
				if !errors.As(err, &absent) {
					t.Fatalf("%v; want an *Unavailable", err)
				}
				wantText(t, err.Error(), "not the Redis protocol")
			})
		}
	}
}

// Whatever a server answers, go-redis behind a wire neither panics nor makes room for it.
func FuzzClient(f *testing.F) {
	for _, monster := range monsters {
		if len(monster) < 1000 { // long ones hold the search up
			f.Add([]byte(monster))
		}
	}
	for _, text := range []string{"+OK\r\n", "*2\r\n:1\r\n$1\r\nx\r\n", "%1\r\n+k\r\n_\r\n", "|1\r\n+k\r\n+v\r\n:1\r\n",
		"-ERR no\r\n", "=5\r\ntxt:x\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, raw := range []bool{false, true} {
			at := target{wires: newWires(waiting.Watch{}, "fuzz"),
				dial: func(context.Context) (net.Conn, error) { return &canned{Reader: bytes.NewReader(data)}, nil }}
			o := options(at, 1)
			o.Protocol, o.DB = 2, 0
			client := redis.NewClient(o)
			if raw {
				_ = client.Process(t.Context(), redis.NewRawCmd(t.Context(), "X"))
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
	s := answering(t, waiting.Watch{}, silent("EVALSHA", request))
	w := s.target.wires
	var said []string
	stop := make(chan struct{})
	o := observation{wires: w, since: map[*wire]call{}}
	w.watch = waiting.Watch{Say: func(line string) { said = append(said, line) }, Stop: stop}

	failed := make(chan error, 1)
	go func() { failed <- s.Client.Do(context.Background(), "EVALSHA").Err() }()
	<-request
	underWay(w)
	from := time.Unix(0, 0)
	for second := range 8 {
		o.look(from.Add(time.Duration(second) * time.Second))
	}
	want := []string{"waiting for " + s.target.label + " to answer (3 s so far; Ctrl-C ends)",
		"waiting for " + s.target.label + " to answer (6 s so far; Ctrl-C ends)"}
	if !slices.Equal(said, want) {
		t.Errorf("%q; want %q", said, want)
	}

	close(stop)
	o.look(from.Add(8 * time.Second))
	var interrupted *waiting.Interrupted
	if err := Explain(<-failed, s); !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want an interruption", err)
	}

	if err := s.Client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("what is called next: %v; want a try", err)
	}
	o.look(from.Add(8*time.Second + lastTry))
	if err := Explain(s.Client.Ping(t.Context()).Err(), s); !errors.As(err, &interrupted) {
		t.Errorf("and later: %v; want an interruption", err)
	}
	if !s.hangs() {
		t.Error("its end would be waited for")
	}
}

// Whatever is tried on a connection that an interrupt has ended is told of the interrupt: a client that was between two
// calls at that moment sets a deadline first.
func TestAnEndedConnectionTellsOfTheInterrupt(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	w := newWires(waiting.Watch{}, "a server")
	conn, err := w.attach(ours)
	if err != nil {
		t.Fatal(err)
	}
	w.sever(false)
	for name, try := range map[string]func() error{
		"Read":             func() error { _, err := conn.Read(make([]byte, 1)); return err },
		"Write":            func() error { _, err := conn.Write([]byte("x")); return err },
		"SetDeadline":      func() error { return conn.SetDeadline(time.Now()) },
		"SetReadDeadline":  func() error { return conn.SetReadDeadline(time.Now()) },
		"SetWriteDeadline": func() error { return conn.SetWriteDeadline(time.Now()) },
	} {
		var interrupted *waiting.Interrupted
		if err := try(); !errors.As(err, &interrupted) {
			t.Errorf("%s: %v; want an interruption", name, err)
		}
	}
}

// A server that answers now and then is not silent, and an interrupt does not end its connections.
func TestAServerThatAnswersIsNotInterrupted(t *testing.T) {
	var said atomic.Int64
	stop := make(chan struct{})
	close(stop)
	s := answering(t, waiting.Watch{}, silent("", nil))
	w := s.target.wires
	w.watch = waiting.Watch{Say: func(string) { said.Add(1) }, Stop: stop}
	o := observation{wires: w, since: map[*wire]call{}}
	for second := range 10 {
		if err := s.Client.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		o.look(time.Unix(int64(second), 0))
	}
	if said.Load() != 0 || s.hangs() {
		t.Errorf("%d words on a server that answers", said.Load())
	}
}

// An interrupt ends the start on a server that does not answer, wherever it has stopped.
func TestAnInterruptEndsAStart(t *testing.T) {
	for _, command := range []string{"PING", "HELLO", "INFO", "EVAL"} {
		t.Run(command, func(t *testing.T) {
			stop, request := make(chan struct{}), make(chan struct{})
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
					default:
						io.WriteString(conn, "+PONG\r\n")
					}
				}
			})
			go func() { <-request; close(stop) }()
			_, err := Start(waiting.With(t.Context(), waiting.Watch{Stop: stop}), "redis://"+addr, withEnv(noEnv))
			var interrupted *waiting.Interrupted
			if !errors.As(err, &interrupted) || interrupted.What != "redis://"+addr+" to answer" {
				t.Errorf("%v; want an interruption", err)
			}
		})
	}
}
