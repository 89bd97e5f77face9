package redisserver

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// dialTimeout bounds everything before the first useful answer; callTimeout one call afterwards. A call may be
// a batch of decisions, which is kept to about 10 ms of the server, so 30 s means that nothing comes any more.
const (
	dialTimeout = 5 * time.Second
	callTimeout = 30 * time.Second
)

// target is where a server is and how to log in.
type target struct {
	network  string // tcp, unix or pipe
	addr     string
	label    string // what errors call it: no user, no password
	user     string // "" is the default user
	password secret
	db       int
	tls      *tls.Config // nil: plain
	dial     func(ctx context.Context) (net.Conn, error)
	wires    *wires // the connections of the server's clients
}

// secret is a password that no formatting verb shows: fmt follows no pointer inside a struct, whereas it would
// call no method of an unexported field.
type secret struct{ value *string }

func newSecret(value string) secret { return secret{&value} }

// reveal is the password, "" where there is none.
func (s secret) reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// transport is the name of the connection's kind in results.
func (t target) transport() string {
	switch {
	case t.network == "pipe":
		return TransportPipe
	case t.network == "unix":
		return TransportUnix
	case t.tls != nil:
		return TransportTLS
	}
	return TransportTCP
}

// connect opens one connection, with TLS where the target has it.
func (t target) connect(ctx context.Context) (net.Conn, error) {
	if t.dial != nil {
		return t.dial(ctx)
	}
	d := net.Dialer{Timeout: dialTimeout}
	if t.tls == nil {
		return d.DialContext(ctx, t.network, t.addr)
	}
	return (&tls.Dialer{NetDialer: &d, Config: t.tls}).DialContext(ctx, t.network, t.addr)
}

// wire opens a connection for a client.
func (t target) wire(ctx context.Context) (net.Conn, error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	return t.wires.attach(conn)
}
