package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
	"ratelab/internal/resp"
)

// BadSpec reports a spec or an option that cannot be used. It is a usage error, exit code 2.
type BadSpec struct{ message string }

// Error returns one line without a password.
func (e *BadSpec) Error() string { return e.message }

// Unavailable reports that the server cannot be reached or cannot be used, or was lost: exit code 3. It wraps no error,
// because the text of a wrapped error may contain the password.
type Unavailable struct{ message string }

// Error returns one line without a password: the server, the problem and the remedy.
func (e *Unavailable) Error() string { return e.message }

func badSpec(format string, args ...any) error { return &BadSpec{fmt.Sprintf(format, args...)} }

func unavailable(format string, args ...any) error { return &Unavailable{fmt.Sprintf(format, args...)} }

// unavailable returns an *Unavailable that begins with the server's label.
func (t target) unavailable(format string, args ...any) error {
	return &Unavailable{t.label + ": " + fmt.Sprintf(format, args...)}
}

// waysToGetOne ends error messages for users who have no server.
const waysToGetOne = "start one, or let --redis process (redis-server on PATH), --redis container (Docker) or " +
	"--redis embedded do it"

// Explain returns the error of a call on s in words for users. It returns an *Unavailable if the server is at fault,
// and the context's own error if the caller cancelled the call. Other errors, such as a script's, and nil stay as they
// are.
func Explain(err error, s *Server) error { return s.explain(err, "a command") }

// explain does what Explain does. It names the command that was sent if the server's reply is malformed.
func (s *Server) explain(err error, sent string) error {
	var done *Unavailable
	var reply goredis.Error
	switch {
	case err == nil, errors.As(err, &done), errors.Is(err, context.Canceled), errors.Is(err, goredis.Nil):
		return err
	case errors.As(err, &reply):
		if worded := s.target.worded(reply.Error()); worded != nil {
			return worded
		}
		if screened := s.target.screen(err.Error()); screened != reply.Error() {
			return s.target.unavailable("%s", screened)
		}
		return err
	}
	if s.target.wires.severed.Load() {
		return message.WaitInterrupted(s.target.wires.what)
	}
	if cause := s.Ended(); cause != "" {
		return s.target.unavailable("the server ended during the run (%s); its decisions so far are incomplete",
			cause)
	}
	if refused := s.target.refusal(err); refused != nil {
		return refused
	}
	return s.target.explainLost(err, sent)
}

// broken reports whether err means that the other side closed the connection.
func broken(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.As(err, &op)
}

// refusal returns an *Unavailable for the error reply with which the server refuses new connections. A server without
// room for another client sends such a reply before any command, and closes the connection. A client that is writing
// its first command then sees a broken pipe instead of the reason. refusal is nil if there is no such reply, or if err,
// the error of an earlier connection, does not look like a closed connection.
func (t target) refusal(err error) error {
	if !broken(err) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	line, _ := t.firstLine(ctx, "")
	text, isError := strings.CutPrefix(strings.TrimSpace(line), "-")
	if !isError {
		return nil
	}
	return cmp.Or(t.worded(text), t.replied(text, "a new connection"))
}

// replied returns the error for an unexpected reply to the command that was sent. reply is its text or a quote of it.
func (t target) replied(reply, sent string) error {
	return t.unavailable("the server replied %s to %s; want Redis 7.0 or later, or Valkey: check the address and the "+
		"port", t.screen(reply), sent)
}

// quotedReply matches the reply that go-redis quotes in errors such as: redis: can't parse int reply: "+OK".
var quotedReply = regexp.MustCompile(`^redis: .*?(".*")`)

// explainLost returns an *Unavailable for the failure of a connection that worked before.
func (t target) explainLost(err error, sent string) error {
	var wrong *resp.ProtocolError
	switch {
	case errors.As(err, &wrong):
		return t.replied(wrong.What, cmp.Or(wrong.Sent, sent))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return t.unavailable(noFile)
	case TimedOut(err):
		t.wires.hangs.Store(true)
		return t.unavailable("did not answer in time; a script may be looping (SCRIPT KILL ends one that wrote " +
			"nothing), or the server hangs")
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return t.unavailable("the server is gone: it accepted connections before and now refuses them")
	case broken(err):
		return t.unavailable("the connection broke during the run: the server stopped, restarted or closed it; " +
			"the decisions so far are incomplete")
	}
	if m := quotedReply.FindStringSubmatch(err.Error()); m != nil {
		return t.replied(m[1], sent)
	}
	return t.unavailable("%s", t.screen(err.Error()))
}

// noFile is the error of a process or a machine that has too many open files.
const noFile = "too many open files for another connection; raise the limit (ulimit -n) or use fewer workers"

// errorReplies lists the error codes that concern the server and not the call, each with its cause and its remedy.
var errorReplies = []struct{ prefix, words string }{
	{"WRONGPASS", "wrong user name or password; check the URL, REDIS_PASSWORD and REDISCLI_AUTH"},
	{"ERR invalid password", "wrong password; check the URL, REDIS_PASSWORD and REDISCLI_AUTH"},
	{"ERR AUTH", "has no password set and was given one; leave it out, and unset REDIS_PASSWORD and REDISCLI_AUTH"},
	{"NOAUTH", "needs a password; write redis://user:password@host:port or set REDIS_PASSWORD"},
	{"READONLY", "is a read-only replica; name its primary"},
	{"LOADING", "is still loading its data; try again in a moment"},
	{"MASTERDOWN", "is a replica that has lost its primary; name the primary"},
	{"MOVED", clusterWords}, {"ASK", clusterWords}, {"CROSSSLOT", clusterWords}, {"CLUSTERDOWN", clusterWords},
	{"MISCONF", "refuses writes because it cannot save to disk (MISCONF); see its log"},
	{"OOM", "is out of memory (OOM) and refuses writes; raise its maxmemory or take another server"},
	{"NOREPLICAS", "refuses writes because it has too few replicas (NOREPLICAS); see its min-replicas-to-write"},
	{"BUSY ", "is busy running a script; SCRIPT KILL ends one that wrote nothing"}, // not BUSYKEY, BUSYGROUP
	{"NOSCRIPT", "does not know the script any more (NOSCRIPT): it restarted, failed over or was told SCRIPT FLUSH; " +
		"run again, alone on it"},
	{"DENIED", "is in protected mode: it accepts only clients on its own machine; give it a " +
		"password, or connect from there"},
	{"ERR max number of clients", "has no room for another client; raise its maxclients or ask for a smaller pool"},
	{"ERR DB index", "has no such database; want /0, or one below its setting databases"},
}

const clusterWords = "is a node of a cluster, and a batch of decisions needs all its keys on one node; name a " +
	"standalone server"

// ExplainText explains an error reply that a script received inside the server. It returns an *Unavailable if the
// server is at fault, for instance because its memory is full. It returns nil if the script is at fault.
func ExplainText(text string, s *Server) error { return s.target.explainText(text) }

func (t target) explainText(text string) error {
	for _, r := range errorReplies {
		if strings.HasPrefix(text, r.prefix) {
			return t.unavailable("%s", r.words)
		}
	}
	return nil
}

// worded returns an *Unavailable if the server is to blame for its error reply, or nil.
func (t target) worded(text string) error {
	if worded := t.explainText(text); worded != nil {
		return worded
	}
	if strings.HasPrefix(text, "NOPERM") {
		command := "" // a NOPERM without a command is about keys
		if m := quotedCommand.FindStringSubmatch(text); m != nil {
			command = m[1]
		}
		return t.denied(command)
	}
	if m := unknownCommand.FindStringSubmatch(text); m != nil {
		return t.lacks(m[1])
	}
	return nil
}

var unknownCommand = regexp.MustCompile("^ERR unknown command ['`]([a-zA-Z]{1,20})['`]")

var quotedCommand = regexp.MustCompile(`'([a-zA-Z|]+)' command`)

// unwelcome does what explain does before any script has run, so each error reply comes from the server itself.
func (s *Server) unwelcome(err error, sent string) error {
	explained := s.explain(err, sent)
	var reply goredis.Error
	if errors.As(explained, &reply) {
		return s.target.replied(reply.Error(), sent)
	}
	return explained
}

// mostScreened is how many characters of a server's text a message shows.
const mostScreened = 400

// screen returns a server's text on one line, shortened and without control characters. If the text contains the
// password, it returns a fixed text instead: Redis before 6.0 and some proxies repeat the arguments of an unknown HELLO
// … AUTH.
func (t target) screen(text string) string {
	if t.password != nil && t.password() != "" && strings.Contains(text, t.password()) {
		return "an error whose text repeats the password"
	}
	return message.OneLine(text, mostScreened)
}
