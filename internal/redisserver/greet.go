package redisserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// greet says PING over a bare connection and looks at the first line of the answer, before any password is
// sent: what is not a Redis never sees one. An error reply is a Redis too; identify words it.
func greet(ctx context.Context, t target) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := t.connect(ctx)
	if err != nil {
		return explainDial(ctx, t, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = io.WriteString(conn, "*1\r\n$4\r\nPING\r\n")
	var line string
	if err == nil {
		line, err = bufio.NewReader(io.LimitReader(conn, 512)).ReadString('\n')
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case strings.HasPrefix(line, "+PONG") || strings.HasPrefix(line, "-"):
		return nil
	case strings.HasPrefix(line, "HTTP/"):
		return unavailable("%s: speaks HTTP, not Redis; check the port", t.label)
	case t.tls == nil && t.network == "tcp" && speaksTLS(ctx, t):
		return unavailable("%s: speaks TLS; use rediss://%s", t.label, t.addr)
	case line != "":
		return unavailable("%s: answered something that is not the Redis protocol; check the port", t.label)
	case alert(err) != nil: // TLS 1.3 lets a client without a certificate in, and throws it out here
		return explainDial(ctx, t, err)
	case isTimeout(err):
		return unavailable("%s: accepted the connection and did not answer in time; check the port, or whether the "+
			"server hangs", t.label)
	}
	if refused := t.refusal(err); refused != nil {
		return refused
	}
	return unavailable("%s: closed the connection without an answer; check that a Redis listens there and lets this "+
		"machine in", t.label)
}

// speaksTLS tries a handshake with whatever answered PING oddly. Who takes part in one, even to refuse the
// client, is a TLS server.
func speaksTLS(ctx context.Context, t target) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent to it
	conn, err := d.DialContext(ctx, t.network, t.addr)
	if err == nil {
		conn.Close()
		return true
	}
	return alert(err) != nil
}

// alert is the TLS alert that the other side sent, or nil. crypto/tls does not export its type.
func alert(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err
	}
	return nil
}

// explainDial words why no connection came about.
func explainDial(ctx context.Context, t target, err error) error {
	var (
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		lookup    *net.DNSError
		authority = "name the authority with ?cacert=FILE, or the certificate's name with ?sni=NAME"
	)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.As(err, &record):
		return unavailable("%s: does not speak TLS; use redis://%s, or check the port", t.label, t.addr)
	case errors.As(err, &verify):
		return unavailable("%s: its certificate is not to be trusted (%v); %s", t.label, verify.Err, authority)
	case alert(err) != nil:
		return unavailable("%s: refused the TLS handshake (%v); if it asks for a certificate, give ?cert=FILE&key=FILE",
			t.label, alert(err))
	case errors.As(err, &lookup):
		return unavailable("%s: no such host; check the name", t.label)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return unavailable("%s: no file is left for another connection; %s", t.label, fewerFiles)
	case errors.Is(err, os.ErrNotExist):
		return unavailable("%s: no such socket; check the path, and that the server runs", t.label)
	case errors.Is(err, os.ErrPermission):
		return unavailable("%s: may not be opened by this user; check the socket's permissions", t.label)
	case errors.Is(err, syscall.ECONNREFUSED):
		return unavailable("%s: connection refused: no server listens there; %s", t.label, waysToGetOne)
	case isTimeout(err):
		return unavailable("%s: no connection in time; check the address and the firewall", t.label)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return unavailable("%s: closed the connection during the handshake; check the port and the scheme", t.label)
	}
	return unavailable("%s: no connection (%s); check the address", t.label, t.screen(err))
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}
