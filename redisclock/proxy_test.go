package redisclock_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis/redistest"
	"ratelab/redisclock"
)

// proxied is a proxy, and a connection to it.
func proxied(t *testing.T, d redisclock.Dialer, network, address string) (*redisclock.Proxy, *net.TCPConn) {
	t.Helper()
	p, err := d.Proxy("127.0.0.1:0", network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return p, conn.(*net.TCPConn)
}

func TestClientsOfAProxyShareItsClock(t *testing.T) {
	p, one := proxied(t, under(redistest.Private(t)), "", "")
	other, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	wantReplies(t, one, "SET k v PX 1500", "+OK", "RATELAB.CLOCK ADVANCE 1000000", ":1704067201000000")
	wantReplies(t, other, "PTTL k", ":500", "RATELAB.CLOCK SET 1704067201501000", "+OK")
	wantReplies(t, one, "EXISTS k", ":0", "TIME", "*2", "", "$10", "", "1704067201", "", "$6", "", "501000")

	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			// The driver's own timeout is five seconds, and a busy machine takes longer for all pipelines at once.
			client := goredis.NewClient(&goredis.Options{Addr: p.Addr(), MaxRetries: -1, ReadTimeout: -1})
			defer client.Close()
			for range 10 {
				cmds, err := client.Pipelined(t.Context(), func(pipe goredis.Pipeliner) error {
					for range 50 {
						pipe.Incr(t.Context(), "n")
						pipe.Do(t.Context(), redisclock.ClockCommand, "GET")
					}
					return nil
				})
				if err != nil || cmds[99].(*goredis.Cmd).Val() != int64(1704067201501000) {
					t.Errorf("a pipeline ends with %v, %v", cmds[99], err)
				}
			}
		})
	}
	all.Wait()
	if got := talk(t, one, "INCR n")[0]; got != ":10001" {
		t.Errorf("after 10,000 INCR another gives %s", got)
	}
	p.Close()
	if rest, err := io.ReadAll(one); len(rest) > 0 || err != nil && !errors.Is(err, net.ErrClosed) &&
		!strings.Contains(err.Error(), "reset") {
		t.Errorf("a closed proxy says %q, %v", rest, err)
	}
	if err := p.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a second Close gives %v", err)
	}
}

// A client that has sent all that it has to say gets all replies.
func TestAClientThatSaysNoMoreGetsItsReplies(t *testing.T) {
	_, conn := proxied(t, under(redistest.Private(t)), "", "")
	fmt.Fprintf(conn, "%s*2\r\n$4\r\nINC", inRESP(strings.Repeat("INCR n\r\n", 1000)))
	conn.CloseWrite()
	got, err := io.ReadAll(conn)
	n, end := strings.Count(string(got), "\r\n"), string(got[max(0, len(got)-10):])
	if err != nil || n != 1000 || !strings.HasSuffix(end, ":1000\r\n") {
		t.Errorf("%d replies, which end with %q, %v", n, end, err)
	}
}

// A server that dies or cannot be reached is named, in place of each reply that it owes.
func TestAServerThatDiesIsNamed(t *testing.T) {
	address := redistest.Listen(t, func(server net.Conn) {
		defer server.Close()
		bufio.NewReader(server).ReadString('\n')
		fmt.Fprint(server, "+FIRST\r\n")
	})
	d := redisclock.Dialer{Clock: redisclock.New(midnight)}
	_, conn := proxied(t, d, "tcp", address)
	conn.Write(inRESP("ECHO 1\r\nRATELAB.CLOCK GET\r\nMULTI\r\nINCR n\r\nEXEC\r\n"))
	got, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(got), "+FIRST\r\n-ERR redisclock: the server does not answer: ") ||
		strings.Count(string(got), "does not answer") != 4 {
		t.Errorf("a server that dies gives %q", got)
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	_, conn = proxied(t, d, "tcp", gone.Addr().String())
	got, _ = io.ReadAll(conn)
	if !strings.HasPrefix(string(got), "-ERR redisclock: the server cannot be reached: dial tcp ") {
		t.Errorf("a server that is not there gives %q", got)
	}
	if _, err := d.Dial("tcp", gone.Addr().String()); err == nil {
		t.Error("a server that is not there is dialled")
	}
}

func TestAProxyListensToItsOwnMachine(t *testing.T) {
	d := redisclock.Dialer{Clock: redisclock.New(time.Unix(0, 0))}
	for _, listen := range []string{"", ":0", "0.0.0.0:0", "192.0.2.1:0", "example.com:0", "127.0.0.1"} {
		p, err := d.Proxy(listen, "tcp", "127.0.0.1:1")
		if err == nil || !strings.Contains(err.Error(), "want a loopback address such as 127.0.0.1:0") {
			t.Errorf("%q: %v", listen, err)
		}
		if err == nil {
			p.Close()
		}
	}
}
