package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// explained is what Explain makes of an error that a call on s met, which must be an *Unavailable on one line that
// begins with the server.
func explained(t *testing.T, err error, s *Server) string {
	t.Helper()
	var u *Unavailable
	if !errors.As(Explain(err, s), &u) {
		t.Fatalf("%v explains %v; want an *Unavailable", Explain(err, s), err)
	}
	if !strings.HasPrefix(u.Error(), s.target.label+": ") || strings.ContainsAny(u.Error(), "\r\n") {
		t.Errorf("%q does not begin with the server, or has several lines", u)
	}
	return u.Error()
}

// The server fills up while a script runs that had been running well.
func TestMemoryThatRunsOutIsExplained(t *testing.T) {
	s := private(t)
	do(t, s, "CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "3mb")
	fill := goredis.NewScript("return redis.call('APPEND', KEYS[1], string.rep('x', 100000))")
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = fill.Run(t.Context(), s.Client, []string{s.Prefix + fmt.Sprint(i)}).Err()
	}
	if err == nil {
		t.Fatal("ten megabytes fit into three")
	}
	wantText(t, explained(t, err, s),
		": is out of memory (OOM) and refuses writes; raise its maxmemory or take another server")
	if policy := s.MaxmemoryPolicy(t.Context()); policy != "noeviction" {
		t.Errorf("policy %q", policy)
	}
}

func TestLoopingScriptIsExplained(t *testing.T) {
	s := private(t)
	do(t, s, "CONFIG", "SET", "busy-reply-threshold", "1")
	looping := make(chan error)
	go func() { looping <- newClient(s.target, 1).Eval(t.Context(), "while true do end", nil).Err() }()
	err := s.Client.Ping(t.Context()).Err()
	for err == nil {
		err = s.Client.Ping(t.Context()).Err() // until the loop has begun
	}
	wantText(t, explained(t, err, s), ": is busy running a script; SCRIPT KILL ends one that wrote nothing")
	if err := s.Client.ScriptKill(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if err := <-looping; Explain(err, s) != err {
		t.Errorf("%v is the script's own fate; got %v", err, Explain(err, s))
	}
}

func TestRepliesToTheCallStayAsTheyAre(t *testing.T) {
	s := private(t)
	do(t, s, "SET", s.Prefix+"k", "word")
	for _, err := range []error{
		s.Client.Incr(t.Context(), s.Prefix+"k").Err(),
		s.Client.HGet(t.Context(), s.Prefix+"k", "f").Err(),
		s.Client.Eval(t.Context(), "return redis.error_reply('BUSYKEY Target key name already exists.')", nil).Err(),
		s.Client.Get(t.Context(), s.Prefix+"none").Err(),
		context.Canceled,
		nil,
	} {
		if got := Explain(err, s); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
