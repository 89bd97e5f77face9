package redistest

import (
	"net"
	"testing"
	"time"

	"ratelab/internal/redis"
)

// Far returns the URL of a slow connection to the private server s: each byte takes delay in either direction. Only the
// latency is large; the bandwidth is unlimited. The test is skipped if s has no socket.
func Far(t testing.TB, s *redis.Server, delay time.Duration) string {
	t.Helper()
	socket := Socket(t, s)
	return "redis://" + Listen(t, func(near net.Conn) {
		far, err := net.Dial("unix", socket)
		if err != nil {
			near.Close()
			return
		}
		go carry(far, near, delay)
		carry(near, far, delay)
	})
}

// Listen returns an address. Until the test ends, serve handles each connection to it.
func Listen(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
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
			go serve(conn)
		}
	}()
	return l.Addr().String()
}

// Socket returns the path of the private server's socket. It skips the test if the server has no socket.
func Socket(t testing.TB, s *redis.Server) string {
	t.Helper()
	socket := s.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	if socket == "" {
		t.Skip("the private server has no socket")
	}
	return socket
}

// parcel holds bytes that arrived together.
type parcel struct {
	data []byte
	came time.Time
}

// carry copies bytes from from to to, each parcel delay after it came. It closes both at the end.
func carry(to, from net.Conn, delay time.Duration) {
	way := make(chan parcel, 1<<16)
	go func() {
		defer close(way)
		for {
			data := make([]byte, 64<<10)
			n, err := from.Read(data)
			if n > 0 {
				way <- parcel{data[:n], time.Now()}
			}
			if err != nil {
				return
			}
		}
	}()
	defer to.Close()
	defer from.Close() // this also ends the reading goroutine
	for p := range way {
		time.Sleep(time.Until(p.came.Add(delay)))
		if _, err := to.Write(p.data); err != nil {
			return
		}
	}
}
