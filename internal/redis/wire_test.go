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

// monsters are answers at which go-redis panics, runs out of memory or of its stack.
var monsters = map[string]string{
	"a text of all bytes":   "$9223372036854775807\r\n",
	"a text of a terabyte":  "$1099511627776\r\nxx",
	"a table of a billion":  "*1000000000\r\n",
	"a map of too many":     "%4611686018427387904\r\n",
	"tables without an end": strings.Repeat("*1\r\n", mostTables+1),
	"a text in a table":     "*2\r\n:1\r\n$9223372036854775807\r\n",
	"no length":             "$x\r\n",
}

// A server that answers so, whatever it is asked, gets one line.
func TestAMonstrousAnswerIsOneLine(t *testing.T) {
	for name, monster := range monsters {
		for _, from := range []string{"HELLO", "EVAL"} {
			if strings.HasPrefix(monster, "*1") && from == "HELLO" {
				continue // go-redis wants pairs there
			}
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
					return "+# Keyspace\r\n"
				}))
				wantText(t, refusal(t, "redis://"+addr),
					"redis://"+addr+": answered something that is not the Redis protocol, or more of it than there "+
						"can be (")
			})
		}
	}
}

// answering is a server that is there and answers each command with reply, without having been asked who it is.
func answering(t *testing.T, watch message.Watch, serve func(net.Conn)) *Server {
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
			return c.Process(ctx, goredis.NewRawCmd(ctx, "EVALSHA"))
		},
		"pipeline": func(ctx context.Context, c Client) error {
			pipe := c.Pipeline()
			_ = pipe.Process(ctx, goredis.NewRawCmd(ctx, "EVALSHA"))
			_, err := pipe.Exec(ctx)
			return err
		},
	}
	for name, monster := range monsters {
		for how, call := range calls {
			t.Run(name+", "+how, func(t *testing.T) {
				s := answering(t, message.Watch{}, speaker(func(c []string) string {
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

// What a Redis answers passes, however it is cut.
func TestWhatARedisAnswersPasses(t *testing.T) {
	all := "+OK\r\n-ERR no\r\n:7\r\n$-1\r\n*-1\r\n$0\r\n\r\n$4\r\n\r\n:1\r\n*0\r\n" +
		"*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:3\r\n" +
		"_\r\n#t\r\n,1.5\r\n(12345\r\n=5\r\ntxt:x\r\n!3\r\nERR\r\n%1\r\n+k\r\n*1\r\n:1\r\n~1\r\n:2\r\n" +
		"+" + strings.Repeat("x", 100_000) + "\r\n" + strings.Repeat("*1\r\n", 8000) + ":1\r\n"
	for _, step := range []int{1, 2, 7, 4096, len(all)} {
		var r replies
		for chunk := range slices.Chunk([]byte(all), step) {
			if err := r.check(chunk, 1); err != nil {
				t.Fatalf("in pieces of %d bytes: %v", step, err)
			}
		}
		if r.skip != 0 || len(r.line) != 0 {
			t.Errorf("in pieces of %d bytes: %+v is left, want nothing", step, r)
		}
	}
}

// A reply is bounded as a whole, and so is the next one.
func TestAllOfAReplyIsBounded(t *testing.T) {
	var r replies
	text := make([]byte, 1<<20)
	passed := 0
	for ; passed < 300 && r.check([]byte("$1048576\r\n"), 1) == nil; passed++ {
		if r.check(text, 1) != nil || r.check([]byte("\r\n"), 1) != nil {
			break
		}
	}
	if passed != 255 {
		t.Errorf("%d MB passed; want 255", passed)
	}
	if err := r.check(nil, 2); err != nil {
		t.Errorf("after the next command: %v", err)
	}
}

// Whatever a server answers, go-redis behind a wire neither panics nor makes room for it.
func FuzzClient(f *testing.F) {
	for _, monster := range monsters {
		if len(monster) < 1000 { // long ones hold the search up
			f.Add([]byte(monster))
		}
	}
	for _, text := range []string{"+OK\r\n", "*2\r\n:1\r\n$1\r\nx\r\n", "-ERR no\r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, raw := range []bool{false, true} {
			at := target{wires: newWires(message.Watch{}, "fuzz"),
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
	s := answering(t, message.Watch{}, silent("EVALSHA", request))
	w := s.target.wires
	var said []string
	stop := make(chan struct{})
	w.watch = message.Watch{Say: func(line string) { said = append(said, line) }, Stop: stop}

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

	close(stop)
	w.lookAt(from.Add(8 * time.Second))
	var interrupted *message.Interrupted
	if err := Explain(<-failed, s); !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want an interruption", err)
	}

	if err := s.Client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("what is called next: %v; want a try", err)
	}
	w.lookAt(from.Add(8*time.Second + lastTry))
	if err := Explain(s.Client.Ping(t.Context()).Err(), s); !errors.As(err, &interrupted) {
		t.Errorf("and later: %v; want an interruption", err)
	}
	if !s.Hangs() {
		t.Error("its end would be waited for")
	}
}

// Whatever is tried on a connection that an interrupt has ended is told of the interrupt: a client that was between two
// calls at that moment sets a deadline first.
func TestAnEndedConnectionTellsOfTheInterrupt(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	w := newWires(message.Watch{}, "a server")
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
		var interrupted *message.Interrupted
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
	s := answering(t, message.Watch{}, silent("", nil))
	w := s.target.wires
	w.watch = message.Watch{Say: func(string) { said.Add(1) }, Stop: stop}
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
					case got[0] == "INFO":
						io.WriteString(conn, "+# Keyspace\r\n")
					default:
						io.WriteString(conn, "+PONG\r\n")
					}
				}
			})
			go func() { <-request; close(stop) }()
			_, err := Start(message.WithWatch(t.Context(), message.Watch{Stop: stop}), "redis://"+addr, withEnv(noEnv))
			var interrupted *message.Interrupted
			if !errors.As(err, &interrupted) || interrupted.What != "redis://"+addr+" to answer" {
				t.Errorf("%v; want an interruption", err)
			}
		})
	}
}
