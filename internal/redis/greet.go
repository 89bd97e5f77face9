package redis

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
)

// greet sends PING over a bare connection and checks the first line of the reply. It runs before any password is sent,
// so that only a server that replies like Redis receives one. greet accepts error replies; identify explains them.
func greet(ctx context.Context, t target) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	line, err := t.firstLine(ctx, "*1\r\n$4\r\nPING\r\n")
	var undialled *dialError
	switch {
	case errors.As(err, &undialled):
		return explainDial(ctx, t, undialled.error)
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case strings.HasPrefix(line, "+PONG") || strings.HasPrefix(line, "-"):
		return nil
	case strings.HasPrefix(line, "HTTP/"):
		return t.unavailable("speaks HTTP, not Redis; check the port")
	case t.tls == nil && t.network == "tcp" && speaksTLS(ctx, t):
		return t.unavailable("speaks TLS; use rediss://%s", t.addr)
	case line != "":
		return t.replied(message.Quote(strings.TrimSpace(line)), "PING")
	case alert(err) != nil: // with TLS 1.3, a client without a certificate is refused only here
		return explainDial(ctx, t, err)
	case TimedOut(err):
		return t.unavailable("accepted the connection and did not answer in time; check the port, or whether the " +
			"server hangs")
	}
	if refused := t.refusal(err); refused != nil {
		return refused
	}
	return t.unavailable("closed the connection without an answer; check that a Redis listens there and lets this " +
		"machine in")
}

// dialError is an error while connecting.
type dialError struct{ error }

// firstLine sends say over a bare connection and returns the first line of the reply.
func (t target) firstLine(ctx context.Context, say string) (string, error) {
	conn, err := t.connect(ctx)
	if err != nil {
		return "", &dialError{err}
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if say != "" {
		if _, err := io.WriteString(conn, say); err != nil {
			return "", err
		}
	}
	return bufio.NewReader(io.LimitReader(conn, 512)).ReadString('\n')
}

// speaksTLS tries a TLS handshake with a server whose reply to PING was odd. A server that answers the handshake speaks
// TLS, even if it refuses the client.
func speaksTLS(ctx context.Context, t target) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // nothing secret is sent
	conn, err := d.DialContext(ctx, t.network, t.addr)
	if err == nil {
		conn.Close()
		return true
	}
	return alert(err) != nil
}

// alert returns the TLS alert that the other side sent, or nil. crypto/tls does not export the alert's type.
func alert(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "remote error" {
		return op.Err
	}
	return nil
}

// explainDial returns an *Unavailable that says why connecting failed.
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
		return t.unavailable("does not speak TLS; use redis://%s, or check the port", t.addr)
	case errors.As(err, &verify):
		return t.unavailable("its certificate is not trusted (%v); %s", verify.Err, authority)
	case alert(err) != nil:
		return t.unavailable("refused the TLS handshake (%v); if it asks for a certificate, give ?cert=FILE&key=FILE",
			alert(err))
	case errors.As(err, &lookup):
		return t.unavailable("no such host; check the name")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return t.unavailable(noFile)
	case errors.Is(err, os.ErrNotExist):
		return t.unavailable("no such socket; check the path, and that the server runs")
	case errors.Is(err, os.ErrPermission):
		return t.unavailable("this user may not open it; check the socket's permissions")
	case errors.Is(err, syscall.ECONNREFUSED):
		return t.unavailable("connection refused: no server listens there; %s", waysToGetOne)
	case TimedOut(err):
		return t.unavailable("could not connect in time; check the address and the firewall")
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return t.unavailable("closed the connection during the handshake; check the port and the scheme")
	}
	return t.unavailable("could not connect (%s); check the address", t.screen(err.Error()))
}

// TimedOut reports whether err means that a call was not answered in time.
func TimedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// capabilities is a script that writes and deletes one key and returns the commands that the user may not run.
//
//go:embed capabilities.lua
var capabilities string

// identify logs in, reads the server's name and version, and checks that the server can run ratelab's scripts.
func (s *Server) identify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	hello := goredis.NewMapStringInterfaceCmd(ctx, "HELLO", "2")
	if err := s.Client.Process(ctx, hello); err != nil && !goredis.HasErrorPrefix(err, "unknown command") {
		return s.unwelcome(err, "HELLO")
	}
	about := hello.Val()
	s.Name, _ = about["server"].(string)
	s.Version, _ = about["version"].(string)
	s.Name = cmp.Or(s.Name, "redis")
	switch about["mode"] {
	case "sentinel":
		return s.target.unavailable("is a Sentinel, which keeps no data; name the primary that it watches")
	case "cluster":
		return s.target.unavailable("%s", clusterWords)
	}
	// An error is ignored: the user may lack INFO, and if the server has failed, the next call reports it.
	fields, _ := info(ctx, s.Client, "server")
	s.callItself(fields)
	if !s.Own {
		if err := s.refuseKeys(ctx); err != nil {
			return err
		}
	}
	return s.checkCapabilities(ctx)
}

// callItself takes the name and the version from INFO. Valkey also reports a redis_version, for old clients.
func (s *Server) callItself(fields map[string]string) {
	s.Name = cmp.Or(fields["server_name"], s.Name)
	s.Version = cmp.Or(fields[s.Name+"_version"], fields["redis_version"], s.Version)
}

// checkCapabilities tries the commands that decisions need: see capabilities.lua.
func (s *Server) checkCapabilities(ctx context.Context) error {
	call := goredis.NewStringSliceCmd(ctx, "EVAL", capabilities, 1, s.Prefix+"probe")
	if err := s.Client.Process(ctx, call); err != nil {
		return s.unwelcome(err, "EVAL")
	}
	answer := call.Val()
	switch {
	case len(answer) == 0:
		return nil
	case answer[0] == "old":
		what := "lacks PEXPIRETIME"
		if major, _, _ := strings.Cut(s.Version, "."); len(major) == 1 && major < "7" {
			what = "is older than 7.0"
		}
		return s.target.unavailable("%s %s %s; virtual time needs Redis 7.0 or later, or Valkey",
			s.Name, cmp.Or(s.Version, "of unknown version"), what)
	case answer[0] == "unknown":
		return s.target.lacks(strings.Join(answer[1:], ", "))
	}
	return s.target.denied(strings.Join(answer, ", "))
}

// ACLRule has the permissions that a user needs, as ACL SETUSER reads them, without the name and the password.
const ACLRule = "~ratelab:* resetchannels -@all +@read +@write +@connection -@dangerous +eval +evalsha +script|load " +
	"+script|exists +time +info"

// lacks returns the error for commands that the server does not know.
func (t target) lacks(commands string) error {
	return t.unavailable("does not know %s, which ratelab needs: rename-command or a proxy hides it; restore "+
		"its name, or take another server", strings.ToUpper(commands))
}

// denied returns the error for a user who may not run the commands, with the rule that grants them. Without commands it
// is about keys.
func (t target) denied(commands string) error {
	user := cmp.Or(t.user, "default")
	what := "use keys under ratelab:"
	if commands != "" {
		what = "run " + commands
	}
	return t.unavailable("user %q may not %s; to allow it: ACL SETUSER %s %s", user, what, user, ACLRule)
}
