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

// greet says PING over a bare connection and looks at the first line of the answer, before any password is
// sent: what is not a Redis never sees one. An error reply is a Redis too; identify words it.
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
	case alert(err) != nil: // TLS 1.3 lets a client without a certificate in, and throws it out here
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

// dialError is that of a connection which did not come about.
type dialError struct{ error }

// firstLine says something over a bare connection, and reads the first line that comes back.
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
		return t.unavailable("does not speak TLS; use redis://%s, or check the port", t.addr)
	case errors.As(err, &verify):
		return t.unavailable("its certificate is not to be trusted (%v); %s", verify.Err, authority)
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
		return t.unavailable("may not be opened by this user; check the socket's permissions")
	case errors.Is(err, syscall.ECONNREFUSED):
		return t.unavailable("connection refused: no server listens there; %s", waysToGetOne)
	case TimedOut(err):
		return t.unavailable("no connection in time; check the address and the firewall")
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return t.unavailable("closed the connection during the handshake; check the port and the scheme")
	}
	return t.unavailable("no connection (%s); check the address", t.screen(err.Error()))
}

// TimedOut reports whether err is that of a call which was not answered in time.
func TimedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		errors.As(err, &timeout) && timeout.Timeout()
}

// capabilities runs on the server: it writes and deletes one key and answers which commands the user lacks.
//
//go:embed capabilities.lua
var capabilities string

// identify logs in, learns the server's name and version, and makes sure that decisions can be made there.
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
	fields, _ := info(ctx, s.Client, "server") // may not be granted; should the server be unwell, the next call fails
	s.callItself(fields)
	if !s.Own {
		if err := s.refuseKeys(ctx); err != nil {
			return err
		}
	}
	return s.checkCapabilities(ctx)
}

// callItself takes name and version from INFO. Valkey says a redis_version too, for old clients' sake.
func (s *Server) callItself(fields map[string]string) {
	s.Name = cmp.Or(fields["server_name"], s.Name)
	s.Version = cmp.Or(fields[s.Name+"_version"], fields["redis_version"], s.Version)
}

// checkCapabilities tries what decisions need: see capabilities.lua.
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

// ACLRule is what a user needs, as ACL SETUSER takes it; the name and the password come before it.
const ACLRule = "~ratelab:* resetchannels -@all +@read +@write +@connection -@dangerous +eval +evalsha +script|load " +
	"+script|exists +time +info"

// lacks says that the server does not know the commands.
func (t target) lacks(commands string) error {
	return t.unavailable("does not know %s, which ratelab needs: rename-command or a proxy has taken it away; give it "+
		"its name back, or take another server", strings.ToUpper(commands))
}

// denied says which commands the user may not run, or that it is the keys, and what to grant.
func (t target) denied(commands string) error {
	user := cmp.Or(t.user, "default")
	what := "use keys under ratelab:"
	if commands != "" {
		what = "run " + commands
	}
	return t.unavailable("user %q may not %s; this suffices: ACL SETUSER %s %s", user, what, user, ACLRule)
}
