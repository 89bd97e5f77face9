package redis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestEmbeddedServersAreSeparateAndTheirClockStands(t *testing.T) {
	one, err := Start(t.Context(), "embedded")
	if err != nil {
		t.Fatal(err)
	}
	two, err := Start(t.Context(), "embedded")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	do(t, one, "SET", "k", "1")
	if n := do(t, two, "EXISTS", "k"); n != "0" {
		t.Errorf("a key of the first server is in the second")
	}
	const midnight = "[1704067200 0]" // 2024-01-01T00:00:00Z
	if now := do(t, one, "EVAL", "return redis.call('TIME')", "0"); now != midnight {
		t.Errorf("TIME = %s; want %s", now, midnight)
	}
	if got := one.String(); got != "miniredis 2.40.0 (embedded, pipe)" {
		t.Errorf("String() = %s", got)
	}
	required, err := os.ReadFile("../../go.mod")
	if err != nil || !strings.Contains(string(required), "miniredis/v2 v"+embeddedVersion+"\n") {
		t.Errorf("go.mod does not require %s (%v)", embeddedVersion, err)
	}
	for range 2 {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestProcessIsPrivateAndLeavesNothing(t *testing.T) {
	s := private(t)
	if s.Transport != TransportUnix && s.Transport != TransportTCP || !s.Own || s.Kind != KindProcess {
		t.Errorf("%+v: transport %q, own %v", s, s.Transport, s.Own)
	}
	if !regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(s.Version) {
		t.Errorf("version %q", s.Version)
	}
	if got := do(t, s, "CONFIG", "GET", "save"); got != "[save ]" {
		t.Errorf("it saves: %s", got)
	}
	dir := filepath.Dir(s.target.addr)
	extra := newClient(s.target, 1)
	if err := extra.Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if s.Transport == TransportUnix {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
	if s.Ended() == "" {
		t.Error("the process still runs")
	}
}

func TestSocketPathTooLongFallsBackToALoopbackPort(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("d", longestSocketPath))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	s := private(t)
	if s.Transport != TransportTCP || !strings.HasPrefix(s.target.addr, "127.0.0.1:") {
		t.Errorf("transport %s at %s; want tcp on the loopback", s.Transport, s.target.addr)
	}
}

func TestPrefixesAreAsLongOnEveryKind(t *testing.T) {
	host := private(t)
	a, b := given(t, host).Prefix, given(t, host).Prefix
	if a == b || len(a) != len(ownPrefix) || !strings.HasPrefix(a, "ratelab:") {
		t.Errorf("%q, %q and %q: want equal lengths and different middles", a, b, ownPrefix)
	}
}

func TestAGivenServerIsLeftEmpty(t *testing.T) {
	host := private(t)
	do(t, host, "CONFIG", "RESETSTAT")
	s, err := Start(t.Context(), viaURL(host, "", ""), withEnv(noEnv))
	if err != nil {
		t.Fatal(err)
	}
	if s.Own || s.Kind != KindURL || s.Prefix == ownPrefix {
		t.Errorf("%v: own %v, kind %s, prefix %s", s, s.Own, s.Kind, s.Prefix)
	}
	if got := fmt.Sprintf("%+v", s); !strings.Contains(got, "(unix://"+host.target.addr+", unix)") {
		t.Errorf("%%+v = %s", got)
	}
	s.Close()
	if keys := do(t, host, "KEYS", "*"); keys != "[]" {
		t.Errorf("keys left: %s", keys)
	}
	stats := do(t, host, "INFO", "commandstats")
	for _, forbidden := range []string{"flush", "config|set", "shutdown", "client|"} {
		if strings.Contains(stats, "cmdstat_"+forbidden) {
			t.Errorf("%s was called on a given server", forbidden)
		}
	}
}

// On a server of users' scripts nothing is sent while a script loops, so that the script's own call is the one that
// fails.
func TestSendTakesTurnsOnAServerOfScripts(t *testing.T) {
	private(t) // or skip
	s, err := Start(t.Context(), KindProcess, ForTrial(ScriptMemory))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	do(t, s, "CONFIG", "SET", "lua-time-limit", "1") // it then answers BUSY to others
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Send(ctx, []any{"EVAL", "while true do end", "0"}); !TimedOut(err) {
		t.Fatalf("%v; want a call that is not answered in time", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if replies, err := s.Send(ctx, []any{"GET", "k"}); !TimedOut(err) {
		t.Errorf("%q, %v; want no call beside a script that loops", replies, err)
	}
	s.Abandon()
}
