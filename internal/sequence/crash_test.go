package sequence_test

import (
	"math/rand/v2"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// A client that dies leaves a counter without a deadline, which rejects everything from the limit on.
func TestACounterThatADeadClientLeaves(t *testing.T) {
	s := newStage(t, "incr-then-compare:crash=100%", 1)
	a, b, c := s.client(1), s.client(1), s.client(1)
	expect(t, []string{a.at(0), a.ends(), b.at(500), b.ends(), c.at(9000), c.ends()}, []string{
		"1", // a: INCRBY, and never PEXPIRE
		"rejected",
		"2", // b: INCRBY, over the limit from here on
		"rejected",
		"3", // c: nine windows later
		"rejected",
	})
	if a.move.Decision.RetryAfterUS != limit.Never {
		t.Errorf("the dead client is told to come back after %d µs", a.move.Decision.RetryAfterUS)
	}
	if got, want := s.play.Figures(), (measure.Race{Commands: 3, Crashes: 3}); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
	if got := s.play.LockedOutUS(9_000_000); got != 8_500_000 {
		t.Errorf("locked out for %d µs, want 8.5 s", got)
	}
	if keys, forEver := s.play.Left(86_400_000_000); keys != 1 || forEver != 1 {
		t.Errorf("%d keys, of them %d without a deadline; want 1 and 1", keys, forEver)
	}
}

// The counter that opened its window properly survives the death of those who count on.
func TestACrashAfterTheFirstLeavesNothing(t *testing.T) {
	s := newStage(t, "incr-then-compare", 2)
	a := s.client(1)
	expect(t, []string{a.at(0), a.at(1), a.ends()}, []string{"1", "1", "admitted"})
	if keys, forEver := s.play.Left(1_001_000); keys != 1 || forEver != 0 || s.play.LockedOutUS(5_000_000) != 0 {
		t.Errorf("%d keys, %d without a deadline, locked out %d µs", keys, forEver, s.play.LockedOutUS(5_000_000))
	}
}

// Who dies depends on the seed and the number of the attempt alone: of two shares the greater kills the same and more.
func TestTheDeadOfAShareDieOfAGreaterOne(t *testing.T) {
	dead := func(label string) map[int]bool {
		play := newPlay(t, label, limit.Policy{Requests: 1e6, Window: 1e9})
		all := map[int]bool{}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 2000 {
			q := limit.Request{AtUS: int64(i), Key: "k", Cost: 1 + random.Int64N(2)}
			exchange := play.Attempt(nil, q)
			reply, err := play.Serve(t.Context(), q, exchange.Next(q.AtUS, nil).Message)
			if err != nil {
				t.Fatal(err)
			}
			before := play.Figures().Crashes
			exchange.Next(q.AtUS, reply)
			all[i] = play.Figures().Crashes > before
		}
		return all
	}
	few, many := dead("incr-then-compare:crash=5%"), dead("incr-then-compare:crash=10%:reject=at_limit")
	count := map[string]int{}
	for i := range few {
		if few[i] && !many[i] {
			t.Fatalf("client %d dies of 5%% and not of 10%%", i)
		}
		if few[i] {
			count["5%"]++
		}
		if many[i] {
			count["10%"]++
		}
	}
	if count["5%"] < 70 || count["5%"] > 130 || count["10%"] < 150 || count["10%"] > 250 {
		t.Errorf("of 2000 die %v", count)
	}
}

// Blog code that compares with >= gives the last token to nobody, and at a limit of 1 nothing at all.
func TestRejectAtTheLimitByHand(t *testing.T) {
	s := newStage(t, "incr-then-compare:reject=at_limit", 10)
	var admitted int
	for range 20 {
		c := s.client(1)
		if c.at(0); !c.move.Done {
			c.at(0)
		}
		if c.ends() == "admitted" {
			admitted++
		}
	}
	one := newStage(t, "incr-then-compare:reject=at_limit", 1).client(1)
	one.at(0)
	one.at(0)
	if admitted != 9 || one.ends() != "rejected" || one.move.Decision.RetryAfterUS != limit.Never {
		t.Errorf("admitted %d of a limit of 10, and at a limit of 1 it is %s, to be retried after %d; want 9, "+
			"rejected and never", admitted, one.ends(), one.move.Decision.RetryAfterUS)
	}
}
