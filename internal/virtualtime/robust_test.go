package virtualtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// stream returns n requests of cost 1, stepUS apart. key returns the key of request i.
func stream(n int, stepUS int64, key func(i int) string) []limit.Request {
	requests := make([]limit.Request, n)
	for i := range requests {
		requests[i] = at(int64(i)*stepUS, key(i))
	}
	return requests
}

func oneKey(int) string { return "k" }

// interrupt decides a long stream in small batches, and calls what after 300 decisions.
func interrupt(t *testing.T, s *redis.Server, what func()) (*virtualtime.Runner, error) {
	t.Helper()
	n := 0
	it := setup{source: "return redis.call('INCR', KEYS[1])", batch: 4}
	r, err := newRunner(t, s, it, func(resp.Value) {
		if n++; n == 300 {
			what()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	requests := stream(4000, 1000, oneKey)
	return r, r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
}

func TestAServerThatLosesItsScriptsEndsTheRun(t *testing.T) {
	s := redistest.Private(t)
	_, err := interrupt(t, s, func() { s.Client.ScriptFlush(t.Context()) })
	if !errors.Is(err, virtualtime.ErrLost) || !strings.Contains(err.Error(), "repeat the run") {
		t.Errorf("after SCRIPT FLUSH the error is %v, want ErrLost", err)
	}
}

func TestAServerThatDiesEndsTheRun(t *testing.T) {
	s := redistest.Private(t)
	other := redistest.NewClient(2, s.Open)
	_, err := interrupt(t, s, func() { other.ShutdownNoSave(t.Context()) })
	if err == nil {
		t.Error("there is no error after the server was shut down")
	}
}

// After a cancellation, Decide returns without waiting for the server. Close then deletes the keys of the pending
// batch, too.
func TestCancellingEndsDecideAndLosesNoKey(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		it := setup{source: "return redis.call('INCR', KEYS[1])", batch: 4}
		r, err := newRunner(t, s, it, func(resp.Value) {
			if n++; n == 300 {
				cancel()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		requests := stream(4000, 1000, func(i int) string { return fmt.Sprintf("k%d", i) })
		if err := r.Decide(ctx, requests, make([]limit.Decision, len(requests))); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v, want context.Canceled", err)
		}
		if n > 320 {
			t.Errorf("%d decisions were read, 300 of them before the cancellation", n)
		}
		if err := r.Close(ctx); err != nil { // Close waits for the pending batch, although ctx is cancelled
			t.Fatal(err)
		}
		if left := s.Client.DBSize(t.Context()).Val(); left != 0 {
			t.Errorf("Close left %d keys", left)
		}
	})
}

// Expired keys that are not used again are swept, even within one call of Decide. So neither the server's memory nor
// ours grows with the length of a trace.
func TestShortLivedKeysDoNotPileUp(t *testing.T) {
	s := redistest.Private(t)
	most := int64(0)
	n := 0
	it := setup{source: "redis.call('SET', KEYS[1], 1, 'PX', 20) return 1", batch: 512}
	r, err := newRunner(t, s, it, func(resp.Value) {
		if n++; n%4096 == 0 {
			most = max(most, s.Client.DBSize(t.Context()).Val())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	size := longtest.Of(200_000, 20_000)
	requests := stream(size, 100, func(i int) string { return fmt.Sprintf("k%d", i) }) // 200 are alive at a time
	if err := r.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
		t.Fatal(err)
	}
	if most > 8000 {
		t.Errorf("of %d keys, of which 200 are alive at a time, up to %d are on the server; want a few thousand", size,
			most)
	}
	left, err := r.Left(t.Context(), requests[len(requests)-1].AtUS+1_000_000, true)
	if err != nil || left != (virtualtime.Left{}) {
		t.Errorf("a second later %+v is left (%v), want nothing", left, err)
	}
}

// A key that gets a deadline only later is swept like any other key.
func TestAKeyThatGetsItsDeadlineLaterIsSwept(t *testing.T) {
	s := redistest.Private(t)
	source := "if redis.call('INCR', KEYS[1]) == 2 then redis.call('PEXPIRE', KEYS[1], 20) end return 1"
	r, err := newRunner(t, s, setup{source: source, batch: 1}, func(resp.Value) {})
	if err != nil {
		t.Fatal(err)
	}
	requests := stream(longtest.Of(20_000, 3000), 100, func(i int) string { return fmt.Sprintf("k%d", i/2) })
	if err := r.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
		t.Fatal(err)
	}
	if size := s.Client.DBSize(t.Context()).Val(); size > int64(longtest.Of(4000, 1200)) {
		t.Errorf("%d of %d keys are on the server, though 100 are alive", size, len(requests)/2)
	}
}

// On a given server, each key has a real deadline, whatever virtual deadline the script sets or removes. So a killed
// run leaves no keys forever. Close deletes only the keys of the run.
func TestOnAGivenServerEveryKeyHasARealDeadline(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		theirs := redistest.NewClient(2, s.Open)
		theirs.Set(t.Context(), "theirs", "v", 0)
		source := "redis.call('SET', KEYS[1], 1) redis.call('SET', KEYS[1] .. ':p', 1, 'PX', 50) " +
			"redis.call('PERSIST', KEYS[1] .. ':p') " +
			"if redis.call('SETNX', KEYS[1] .. ':once', 1) == 1 then redis.call('SET', KEYS[1] .. ':n', 1, 'PX', " +
			"5) end " +
			"redis.call('INCR', KEYS[1] .. ':n') " + // a second later, it is a new key
			"redis.call('RPUSH', KEYS[1] .. ':l', 1) redis.call('SET', KEYS[1] .. ':e', 1, 'EX', 60) " +
			"return {redis.call('TTL', KEYS[1]), redis.call('PTTL', KEYS[1] .. ':p'), redis.call('PERSIST', " +
			"KEYS[1]), " +
			"redis.call('PEXPIRE', KEYS[1] .. ':l', 5, 'GT'), redis.call('TTL', KEYS[1] .. ':e')}"
		var answers []string
		r, err := newRunner(t, s, setup{source: source, given: true},
			func(reply resp.Value) { answers = append(answers, reply.String()) })
		if err != nil {
			t.Fatal(err)
		}
		requests := []limit.Request{at(0, "a"), at(0, "b"), at(1_000_000, "a")}
		for i := range requests {
			if err := r.Decide(t.Context(), requests[i:i+1], make([]limit.Decision, 1)); err != nil {
				t.Fatal(err)
			}
		}
		for _, one := range answers {
			if one != "[-1, -1, 0, 0, 60]" {
				t.Errorf("the script sees %s, want [-1, -1, 0, 0, 60]: the real deadline must not show", one)
			}
		}
		keys := theirs.Keys(t.Context(), "[ab]*").Val()
		for _, key := range keys {
			if ttl := theirs.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > 72*365*24*time.Hour {
				t.Errorf("%s has the real TTL %v", key, ttl)
			}
		}
		left, err := r.Left(t.Context(), 2_000_000, false)
		if err != nil || left.Keys != 11 || left.WithoutTTL != 9 || left.EndUS <= 0 || len(keys) != 12 {
			t.Errorf("%+v and %q are left (%v), want 11 alive of 12 keys, 9 of them without a TTL of their own", left,
				keys, err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all := theirs.Keys(t.Context(), "*").Val(); len(all) != 1 || all[0] != "theirs" {
			t.Errorf("after Close the server holds %q, want theirs alone", all)
		}
	})
}
