package redistest

import (
	"net"
	"testing"
	"time"

	"ratelab/internal/redis"
)

// Far is the URL of a way to the private server s on which each byte takes so long, in either direction; the test is
// skipped where s has no socket. Only the way is slow: as many bytes may be on it as there are.
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

// Listen has serve answer each connection to the address that it returns, until the test ends.
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

// Socket is the path of the private server's socket; without one the test is skipped.
func Socket(t testing.TB, s *redis.Server) string {
	t.Helper()
	socket := s.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	if socket == "" {
		t.Skip("the private server has no socket")
	}
	return socket
}

// parcel is what came at one moment.
type parcel struct {
	data []byte
	came time.Time
}

// carry brings what from says to to, each parcel so much later than it came, and closes both at the end.
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
	defer from.Close() // which ends the reading too
	for p := range way {
		time.Sleep(time.Until(p.came.Add(delay)))
		if _, err := to.Write(p.data); err != nil {
			return
		}
	}
}
