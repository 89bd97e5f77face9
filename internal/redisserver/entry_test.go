package redisserver

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/alive"
	"ratelab/internal/registry"
)

// guest starts on the host's server as a user's, and gives the lines that Start said.
func guest(t *testing.T, host *Server, opts ...Option) (*Server, *[]string) {
	t.Helper()
	said := &[]string{}
	opts = append(opts, withEnv(noEnv), WithNotices(func(line string) { *said = append(*said, line) }))
	s, err := Start(t.Context(), viaURL(host, "", ""), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, said
}

// deadRun leaves an entry and keys as a run of this machine does that was killed.
func deadRun(t *testing.T, host *Server, id string, keys int) {
	t.Helper()
	if alive.Self().Start == "" {
		t.Skip("this system does not tell when a process began")
	}
	run := registry.New(id)
	run.Process.Start += "0"
	if err := registry.Enter(t.Context(), host.Client, run); err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		do(t, host, "SET", fmt.Sprintf("%sgcra:{k%d}", run.KeyPrefix(), i), "1", "EX", "1000")
	}
}

func TestARunIsInTheRegistryWhileItLives(t *testing.T) {
	host := private(t)
	s, _ := guest(t, host)
	runs, now, err := registry.Runs(t.Context(), host.Client)
	if err != nil || len(runs) != 1 || runs[0].KeyPrefix() != s.Prefix || runs[0].Process != alive.Self() ||
		runs[0].Dead(now) {
		t.Errorf("%+v, %v; want the run of %s", runs, err, s.Prefix)
	}
	for _, key := range []string{registry.Index, "ratelab:run:" + runs[0].ID} {
		if ttl := host.Client.TTL(t.Context(), key).Val(); ttl <= 24*time.Hour || ttl > registry.Kept {
			t.Errorf("%s has a TTL of %v", key, ttl)
		}
	}
	visitor, _ := guest(t, host, WithoutEntry())
	if n := do(t, host, "ZCARD", registry.Index); n != "1" {
		t.Errorf("%s entries; want one, also after a visit", n)
	}
	visitor.Close()
	s.Close()
	if keys := do(t, host, "KEYS", "*"); keys != "[]" {
		t.Errorf("left: %s", keys)
	}
}

// A run whose keys could not be deleted stays in the registry, for the next one to find.
func TestARunThatLeftKeysStaysInTheRegistry(t *testing.T) {
	host := private(t)
	s, _ := guest(t, host)
	s.LeftKeys()
	s.Close()
	if n := do(t, host, "ZCARD", registry.Index); n != "1" {
		t.Errorf("%s entries; want one", n)
	}
}

func TestTheNextRunDeletesWhatDeadRunsLeft(t *testing.T) {
	host := private(t)
	do(t, host, "SET", "theirs", "1")
	living, said := guest(t, host)
	do(t, host, "SET", living.Prefix+"k", "1")
	if len(*said) > 0 {
		t.Errorf("said %q where there was nothing to say", *said)
	}
	deadRun(t, host, "00000000000a", 3)
	_, said = guest(t, host)
	if len(*said) != 1 || !strings.Contains((*said)[0], ": deleted 3 keys that a dead run (process ") {
		t.Errorf("said %q", *said)
	}
	for i := range 4 {
		deadRun(t, host, fmt.Sprintf("0000000000b%d", i), i)
	}
	_, said = guest(t, host)
	if len(*said) != 1 || !strings.HasSuffix((*said)[0], ": deleted 6 keys that 4 dead runs left") {
		t.Errorf("said %q", *said)
	}
	if n := do(t, host, "EXISTS", "theirs", living.Prefix+"k"); n != "2" {
		t.Error("a living run's key, or somebody else's, is gone")
	}
	if n := do(t, host, "ZCARD", registry.Index); n != "3" {
		t.Errorf("%s entries; want those of the three that live", n)
	}
}

// Not being able to clean is no reason not to run.
func TestARunThatMayNotCleanSaysSoAndGoesOn(t *testing.T) {
	host := private(t)
	deadRun(t, host, "00000000000a", 1)
	s, said := guest(t, host)
	*said = nil
	deadRun(t, host, "00000000000b", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.sweep(ctx, func(string) { t.Error("said something to somebody who gave up") }); err == nil {
		t.Error("no error for a caller that gave up")
	}
	do(t, host, "ACL", "SETUSER", "default", "-scan")
	defer do(t, host, "ACL", "SETUSER", "default", "+scan")
	if err := s.sweep(t.Context(), func(line string) { *said = append(*said, line) }); err != nil {
		t.Error(err)
	}
	if len(*said) != 1 || !strings.Contains((*said)[0], "what dead runs left could not be deleted: ") ||
		!strings.Contains((*said)[0], "may not run scan") {
		t.Errorf("said %q", *said)
	}
}

func TestSomebodyElsesKeyOfTheRegistrysNameIsNamed(t *testing.T) {
	host := private(t)
	do(t, host, "SET", registry.Index, "theirs")
	wantText(t, refusal(t, viaURL(host, "", "")),
		": the key ratelab:runs is not the list of runs that this program keeps there; rename or delete it")
	if got := do(t, host, "KEYS", "*") + do(t, host, "GET", registry.Index); got != "["+registry.Index+"]theirs" {
		t.Errorf("left: %s", got)
	}
}
