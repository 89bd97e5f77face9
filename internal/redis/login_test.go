package redis

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func TestDocumentedACLSuffices(t *testing.T) {
	host := private(t)
	grant := func(rules ...string) {
		do(t, host, append([]string{"ACL", "SETUSER", "narrow", "reset", "on", ">pw"}, rules...)...)
	}
	rule := strings.Fields(ACLRule)
	grant(rule...)
	s, err := Start(t.Context(), viaURL(host, "narrow", "pw"), withEnv(noEnv))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Name != host.Name || s.Version != host.Version {
		t.Errorf("named %s %s; want %s %s", s.Name, s.Version, host.Name, host.Version)
	}
	do(t, s, "SET", s.Prefix+"k", "1")
	if err := Delete(t.Context(), s.Client, s.Prefix); err != nil {
		t.Error(err)
	}
	if err := s.Client.FlushAll(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM") {
		t.Errorf("the documented rights allow FLUSHALL: %v", err)
	}
	suffices := "; to allow it: ACL SETUSER narrow " + ACLRule
	grant(append(rule, "-time", "-set", "-script")...)
	wantText(t, refusal(t, viaURL(host, "narrow", "pw")), `: user "narrow" may not run set, time, script`+suffices)
	grant(append(rule, "-eval")...)
	wantText(t, refusal(t, viaURL(host, "narrow", "pw")), `: user "narrow" may not run eval`+suffices)
	grant(append(rule, "resetkeys", "~other:*")...)
	wantText(t, refusal(t, viaURL(host, "narrow", "pw")), `: user "narrow" may not use keys under ratelab:`+suffices)
	grant(append(rule, "-info")...)
	wantText(t, refusal(t, viaURL(host, "narrow", "pw")), `: user "narrow" may not run info`+suffices)
}

func TestReplicaIsRefused(t *testing.T) {
	host := private(t)
	do(t, host, "REPLICAOF", "127.0.0.1", "1")
	wantText(t, refusal(t, viaURL(host, "", "")), ": is a read-only replica; name its primary")
	do(t, host, "CONFIG", "SET", "replica-serve-stale-data", "no")
	wantText(t, refusal(t, viaURL(host, "", "")), ": is a replica that has lost its primary; name the primary")
}

// program writes a shell script that ends in the redis-server on PATH with more arguments, or in none.
func program(t *testing.T, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestValkeyIsNotTakenForTheRedisThatItSpeaksLike(t *testing.T) {
	s := &Server{Name: "redis", Version: "7.2.4"} // as its HELLO says
	s.callItself(infoFields("# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n"))
	if got := s.Name + " " + s.Version; got != "valkey 8.1.1" {
		t.Errorf("named %s; want valkey 8.1.1", got)
	}
}

func TestProgramThatDoesNotServeSaysWhatItSaid(t *testing.T) {
	got := refusal(t, "process="+program(t, "echo starting; echo bad option >&2; exit 7"))
	wantText(t, got, "does not start: exit status 7; it said: starting | bad option")
	wantText(t, refusal(t, "process=/no/such/program"), `process: no program "/no/such/program"; give a path`)
	t.Setenv("PATH", t.TempDir())
	wantText(t, refusal(t, "process"), "process: neither redis-server nor valkey-server on PATH; install one")
}

func TestServerThatDiesInTheMiddleIsExplained(t *testing.T) {
	s := private(t)
	guest, err := Start(t.Context(), viaURL(s, "", ""), withEnv(noEnv))
	if err != nil {
		if runtime.GOOS == "windows" {
			t.Skip(err) // no unix socket
		}
		t.Fatal(err)
	}
	defer guest.Close()
	waiting := make(chan error)
	go func() { waiting <- guest.Client.BLPop(t.Context(), 0, guest.Prefix+"never").Err() }()
	for infoFields(do(t, s, "INFO", "clients"))["blocked_clients"] != "1" {
		runtime.Gosched() // until the guest's call is under way
	}
	kill(t, s)
	lost := Explain(<-waiting, guest)
	wantText(t, lost.Error(), ": the connection broke during the run: the server stopped, restarted or closed it; "+
		"the decisions so far are incomplete")
	lost = Explain(s.Client.Ping(t.Context()).Err(), s)
	wantText(t, lost.Error(), "the server ended during the run (signal: killed")
	for range 3 { // the pool finds out one connection after the other
		err = guest.Client.Ping(t.Context()).Err()
	}
	wantText(t, Explain(err, guest).Error(), "the server is gone: it accepted connections before and now refuses them")
}

// kill ends the server that s started, the hard way.
func kill(t *testing.T, s *Server) {
	t.Helper()
	fields := infoFields(do(t, s, "INFO", "server"))
	pid, err := strconv.Atoi(fields["process_id"])
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}
