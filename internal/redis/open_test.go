package redis

import (
	"context"
	"net"
	"testing"
	"time"
)

// A connection that Open gives has the deadline of its user, and not the one of the PING with which it was tried.
func TestOpenGivesAConnectionWithoutADeadline(t *testing.T) {
	s := private(t)
	var last time.Time
	dial := s.target
	s.target.dial = func(ctx context.Context) (net.Conn, error) {
		conn, err := dial.connect(ctx)
		return deadlined{conn, &last}, err
	}
	conn, err := s.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if !last.IsZero() {
		t.Errorf("its deadline is %v", last)
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 7)
	if n, err := conn.Read(answer); err != nil || string(answer[:n]) != "+PONG\r\n" {
		t.Errorf("PING is answered %q, %v", answer[:n], err)
	}
}

// deadlined notes the deadline that was set last.
type deadlined struct {
	net.Conn
	last *time.Time
}

func (d deadlined) SetDeadline(t time.Time) error {
	*d.last = t
	return d.Conn.SetDeadline(t)
}

func (d deadlined) SetReadDeadline(t time.Time) error {
	*d.last = t
	return d.Conn.SetReadDeadline(t)
}
