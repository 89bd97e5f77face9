package load

import (
	"syscall"
	"testing"
	"time"

	"ratelab/internal/redis/redistest"
)

// A server that stands still while nobody measures it is heard of once, and one that works is not.
func TestAVigilHearsSilence(t *testing.T) {
	s := redistest.Private(t)
	pid := redistest.ProcessID(t, s)
	clock := NewClock(time.Now())
	v, err := KeepVigil(t.Context(), s.Open, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if s := v.Silence(); s != 0 {
		t.Errorf("%v before there was one", s)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(4 * MostSilence) // the silence itself
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if s := v.Silence(); s < 2*MostSilence {
		t.Errorf("%v; want the silence", s)
	}
	if s := v.Silence(); s != 0 {
		t.Errorf("%v, which has been told", s)
	}
}

// A server that dies ends the vigil and nothing else.
func TestAVigilEndsWithTheServer(t *testing.T) {
	s := redistest.Private(t)
	v, err := KeepVigil(t.Context(), s.Open, NewClock(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s := v.Silence(); s != 0 {
		t.Errorf("%v of a dead server", s)
	}
	v.Close()
}
