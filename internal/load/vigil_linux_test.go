package load_test

import (
	"syscall"
	"testing"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/redisserver/redisservertest"
)

// A server that stands still while nobody measures it is heard of once, and one that works is not.
func TestAVigilHearsSilence(t *testing.T) {
	s := redisservertest.Private(t)
	pid, ok := s.ProcessID(t.Context())
	if !ok {
		t.Fatal("no process")
	}
	clock := load.NewClock(time.Now())
	v, err := load.KeepVigil(t.Context(), s.Open, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if all := v.Silences(); len(all) != 0 {
		t.Errorf("silences %v before there was one", all)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(4 * load.MostSilence) // the silence itself
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	all := v.Silences()
	if len(all) != 1 || all[0].Lasted < 2*load.MostSilence || all[0].At.Before(clock.Origin) {
		t.Errorf("silences %v; want the one", all)
	}
	if all := v.Silences(); len(all) != 0 {
		t.Errorf("silences %v, which have been told", all)
	}
}

// A server that dies ends the vigil and nothing else.
func TestAVigilEndsWithTheServer(t *testing.T) {
	s := redisservertest.Private(t)
	v, err := load.KeepVigil(t.Context(), s.Open, load.NewClock(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if all := v.Silences(); len(all) != 0 {
		t.Errorf("silences %v of a dead server", all)
	}
	v.Close()
	(*load.Vigil)(nil).Close()
}
