package sequence_test

import (
	"fmt"
	"testing"
)

// Requests in four seconds, one each: without a ttl the keys add up; with one of 2 s two are there at a time.
func TestKeysOverTimeByHand(t *testing.T) {
	for label, want := range map[string]string{
		"incr-per-window": "[1 1 2 2 3 3 4 4 4 4 4 4 4 4]",
		// PEXPIRE comes 1 ms after INCRBY: the counters end at 2.101, 3.201, 4.301 and 5.401 s.
		"incr-per-window:ttl=2s": "[1 1 2 2 2 2 2 2 1 1 0 0 0 0]",
		"incr-then-compare":      "[1 1 1 1 1 1 1 1 0 0 0 0 0 0]",
	} {
		s := newStage(t, label, 5)
		for _, ms := range []int64{100, 1200, 2300, 3400} {
			c := s.beginning(ms, 1)
			c.at(ms)
			if !c.move.Done {
				c.at(ms + 1)
			}
		}
		if got := fmt.Sprint(s.play.Keys(500_000, 14)); got != want {
			t.Errorf("%s: %s keys, want %s", label, got, want)
		}
	}
}

// A worker empties the queue after the last request: an empty list is no key.
func TestTheWorkerGoesOnAfterTheLastRequest(t *testing.T) {
	s := newStage(t, "push-then-trim:script=yes", 2)
	s.client(1).at(0)
	s.client(1).at(0)
	s.play.Finish(2_000_000)
	if got := fmt.Sprint(s.play.Keys(250_000, 6)); got != "[1 1 1 1 0 0]" {
		t.Errorf("%s keys, want one until the worker takes the second at 1 s", got)
	}
	if keys, forEver := s.play.Left(999_999); keys != 0 || forEver != 0 {
		t.Errorf("%d keys are left, %d without a deadline; want none once the worker is done", keys, forEver)
	}
}
