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

// BadSpec is an error in what was asked for: a usage error, exit code 2.
type BadSpec struct{ message string }

// Error is one line, without a password.
func (e *BadSpec) Error() string { return e.message }

// Unavailable means that there is no server to decide on, or not any more: exit code 3. It deliberately
// unwraps to nothing, since the texts below it may repeat a password.
type Unavailable struct{ message string }

// Error is one line that says which server, what is wrong with it and what to do, without a password.
func (e *Unavailable) Error() string { return e.message }

func badSpec(format string, args ...any) error { return &BadSpec{fmt.Sprintf(format, args...)} }

func unavailable(format string, args ...any) error { return &Unavailable{fmt.Sprintf(format, args...)} }

// unavailable begins with the server.
func (t target) unavailable(format string, args ...any) error {
	return &Unavailable{t.label + ": " + fmt.Sprintf(format, args...)}
}

// waysToGetOne ends the errors of those who have no server.
const waysToGetOne = "start one, or let --redis process (redis-server on PATH), --redis container (Docker) or " +
	"--redis embedded do it"

// Explain puts an error of a call on s into our words: an *Unavailable where the server, not the call, is to
// blame; the context's own error where the caller gave up; anything else, such as a script's error, as it is.
// nil stays nil.
func Explain(err error, s *Server) error { return s.explain(err, "a command") }

// explain does what Explain does. It names the command that was sent if the server's reply makes no sense.
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
		return s.target.unavailable("the server ended in the middle (%s); what was decided until then is incomplete",
			cause)
	}
	if refused := s.target.refusal(err); refused != nil {
		return refused
	}
	return s.target.explainLost(err, sent)
}

// broken reports whether err is that of a connection which the other side closed.
func broken(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.As(err, &op)
}

// refusal words the error reply with which the server greets a new connection that it will not have; it is nil where
// there is none, or where err, an earlier connection's, does not look like one. A server without room for another
// client says so unasked and hangs up: a client that is just writing its first command sees a broken pipe, and not the
// reason.
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

// explainLost words the failures of a connection that once worked.
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
		return t.unavailable("the server is gone: it refuses connections that it took before")
	case broken(err):
		return t.unavailable("the connection broke in the middle: the server stopped, restarted or threw us out; " +
			"what was decided until then is incomplete")
	}
	if m := quotedReply.FindStringSubmatch(err.Error()); m != nil {
		return t.replied(m[1], sent)
	}
	return t.unavailable("%s", t.screen(err.Error()))
}

// noFile is for a process or a machine that has too many files open.
const noFile = "no file is left for another connection; raise the limit on open files (ulimit -n) or use fewer workers"

// errorReplies are the error codes that speak of the server, not of the call, with what to do.
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
	{"NOREPLICAS", "refuses writes for want of replicas (NOREPLICAS); see its min-replicas-to-write"},
	{"BUSY ", "is busy running a script; SCRIPT KILL ends one that wrote nothing"}, // not BUSYKEY, BUSYGROUP
	{"NOSCRIPT", "does not know the script any more (NOSCRIPT): it restarted, failed over or was told SCRIPT FLUSH; " +
		"run again, alone on it"},
	{"DENIED", "is in protected mode: it talks to its own machine only; give it a password, or connect from there"},
	{"ERR max number of clients", "has no room for another client; raise its maxclients or ask for a smaller pool"},
	{"ERR DB index", "has no such database; want /0, or one below its setting databases"},
}

const clusterWords = "is a node of a cluster, and a batch of decisions needs all its keys on one node; name a " +
	"standalone server"

// ExplainText words what a script was answered inside the server: an *Unavailable where the server is to blame, as for
// one whose memory is full, and nil where it is the script's own affair.
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
		command := "" // it speaks of keys
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

// unwelcome does what explain does before a script has run: each error reply is then the server's own.
func (s *Server) unwelcome(err error, sent string) error {
	explained := s.explain(err, sent)
	var reply goredis.Error
	if errors.As(explained, &reply) {
		return s.target.replied(reply.Error(), sent)
	}
	return explained
}

// mostScreened is how many characters of a server's text a message has.
const mostScreened = 400

// screen is a server's text on one line, shortened and without control characters, unless the password is in it: Redis
// before 6.0 and some proxies repeat the arguments of a HELLO … AUTH that they do not know.
func (t target) screen(text string) string {
	if t.password != nil && t.password() != "" && strings.Contains(text, t.password()) {
		return "an error whose text repeats the password"
	}
	return message.OneLine(text, mostScreened)
}
