package redis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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

func TestThePolicyIsUnknownWhereTheServerDoesNotSay(t *testing.T) {
	s, err := Start(t.Context(), "embedded")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if limit := s.MaxmemoryPolicy(t.Context()); limit != "" {
		t.Errorf("the embedded server's limit: %+v", limit)
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

func TestServerThatBecomesAReplicaIsExplained(t *testing.T) {
	s := private(t)
	do(t, s, "REPLICAOF", "127.0.0.1", "1")
	err := s.Client.Set(t.Context(), s.Prefix+"k", 1, 0).Err()
	wantText(t, explained(t, err, s), ": is a read-only replica; name its primary")
}

// The server's dump cannot be renamed onto a folder.
func TestServerThatCannotSaveIsExplained(t *testing.T) {
	s := private(t)
	dir := do(t, s, "CONFIG", "GET", "dir")
	dir = strings.TrimSuffix(strings.TrimPrefix(dir, "[dir "), "]")
	if err := os.MkdirAll(filepath.Join(dir, "dump.rdb", "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	do(t, s, "CONFIG", "SET", "save", "3600 1000000")
	do(t, s, "BGSAVE")
	for infoFields(do(t, s, "INFO", "persistence"))["rdb_last_bgsave_status"] != "err" {
		runtime.Gosched() // until the child has failed
	}
	err := s.Client.Set(t.Context(), s.Prefix+"k", 1, 0).Err()
	wantText(t, explained(t, err, s), ": refuses writes because it cannot save to disk (MISCONF); see its log")
	do(t, s, "CONFIG", "SET", "save", "") // else it would insist on saving before it ends
}

func TestForgottenScriptIsExplained(t *testing.T) {
	s := private(t)
	sha := do(t, s, "SCRIPT", "LOAD", "return 1")
	do(t, s, "SCRIPT", "FLUSH")
	err := s.Client.EvalSha(t.Context(), sha, nil).Err()
	wantText(t, explained(t, err, s),
		": does not know the script any more (NOSCRIPT): it restarted, failed over or was told SCRIPT FLUSH; run "+
			"again, alone on it")
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

func TestServerThatLoadsIsExplained(t *testing.T) {
	s, err := Start(t.Context(), "process="+program(t, `exec redis-server "$@" --enable-debug-command yes`))
	if err != nil {
		absent(t, err)
	}
	defer s.Close()
	do(t, s, "DEBUG", "POPULATE", "300")
	do(t, s, "CONFIG", "SET", "key-load-delay", "2000", "loading-process-events-interval-bytes", "1024")
	loading := make(chan error)
	reload, cancel := context.WithCancel(t.Context())
	go func() { loading <- newClient(s.target, 1).Do(reload, "DEBUG", "RELOAD").Err() }()
	for err = nil; err == nil; {
		err = s.Client.Get(t.Context(), s.Prefix+"k").Err()
		if errors.Is(err, goredis.Nil) {
			err = nil // not yet
		}
	}
	wantText(t, explained(t, err, s), ": is still loading its data; try again in a moment")
	cancel()
	<-loading
	kill(t, s)
}
