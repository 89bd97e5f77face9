package load

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// On somebody else's server a key that its script gives no TTL gets a long one, and one with a TTL keeps it.
func TestOnASharedServerEveryKeyExpires(t *testing.T) {
	p := scripttest.Program(`if ARGV[2] == '1' then redis.call('INCR', KEYS[1]) else redis.call('SET', KEYS[1], 1, 'EX', 60) end return {1, 0, 0, 0}`, "")
	s, _, c := prepared(t, p, true)
	for cost, key := range map[int64]string{1: "endless", 2: "short"} {
		for range 3 {
			if _, err := c.Call(limit.Request{Key: key, Cost: cost}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, most := range map[string]time.Duration{"endless": 24 * time.Hour, "short": time.Minute} {
		if ttl := s.Client.PTTL(t.Context(), s.Prefix+"mine:{"+key+"}").Val(); ttl > most || ttl < most*9/10 {
			t.Errorf("%s expires in %v; want %v", key, ttl, most)
		}
	}
	if calls := expires(t, s); calls != 2 {
		t.Errorf("%d calls of PEXPIRE; want one per key", calls)
	}
}

func TestAScriptThatDoesNotCompileIsRefusedAtOnce(t *testing.T) {
	s := redistest.Private(t)
	p := scripttest.Program("return (", "")
	if _, err := Prepare(t.Context(), of(s), p, ticking()); err == nil {
		t.Error("no error")
	}
	p = scripttest.Program(scripttest.Counting, "3")
	p.Init, p.InitSource = &script.Call{}, "return ("
	if _, err := Prepare(t.Context(), of(s), p, ticking()); err == nil ||
		!strings.HasPrefix(err.Error(), "init: ") {
		t.Errorf("init: %v", err)
	}
}

// A server that cannot be had any more is no reason to hang.
func TestConnectToAServerThatIsGone(t *testing.T) {
	s, target, _ := prepared(t, scripttest.Program(scripttest.Counting, "3"), false)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := target.Connect(context.Background()); err == nil || c != nil {
		t.Errorf("connection %v, %v", c, err)
	}
}

// Init is called once per key by whoever comes first, ahead of the calls where the keys are introduced.
func TestInitIsCalledOncePerKey(t *testing.T) {
	p := initialised(`return {1, tonumber(redis.call('GET', KEYS[1])), 0, 0}`,
		`return redis.call('INCRBY', KEYS[1], ARGV[1])`, "40")
	contract := p.Decode
	var wrong atomic.Int64
	p.Decode = func(r resp.Value) (limit.Decision, error) {
		d, err := contract(r)
		if d.Remaining != 40 {
			wrong.Add(1)
		}
		return d, err
	}
	_, target, first := prepared(t, p, false)
	if err := target.Introduce(t.Context(), []string{"a", "b", "a"}); err != nil || target.InitCalls() != 2 {
		t.Fatalf("%d calls of init, %v", target.InitCalls(), err)
	}
	var workers sync.WaitGroup
	for n := range 8 {
		c := first
		if n > 0 {
			var err error
			if c, err = target.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		workers.Go(func() {
			for key := 'a'; key < 'p'; key++ {
				if _, err := c.Call(limit.Request{Key: string(key), Cost: 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if wrong.Load() != 0 || target.InitCalls() != 15 {
		t.Errorf("%d found something else than one init's 40, %d inits", wrong.Load(), target.InitCalls())
	}
}

// KEYS that have the cost in them are as many keys as there are costs: each gets its TTL.
// So it is with a key of init's alone, whether it was called ahead or not.
func TestEveryNameInKEYSIsTakenCareOf(t *testing.T) {
	p := initialised(`redis.call('SET', KEYS[1], 1) return {1, 0, 0, 0}`,
		`return redis.call('SET', KEYS[1], 1)`, "")
	byCost, err := script.ParseTemplate("mine:{key}:{cost}", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Decide.Keys, p.Init.Keys = []script.Template{byCost}, []script.Template{script.KeyIn("init:")}
	s, target, c := prepared(t, p, true)
	if err := target.Introduce(t.Context(), []string{"ahead"}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"ahead", "k"} {
		for _, cost := range []int64{1, 2, 1} {
			if _, err := c.Call(limit.Request{Key: key, Cost: cost}); err != nil {
				t.Fatal(err)
			}
		}
	}
	keys := s.Client.Keys(t.Context(), "*").Val()
	for _, key := range keys {
		if ttl := s.Client.PTTL(t.Context(), key).Val(); ttl > 24*time.Hour || ttl < 23*time.Hour &&
			key != s.Prefix+"mine:k:1" && key != s.Prefix+"mine:ahead:1" {
			t.Errorf("%s expires in %v; want a day", key, ttl)
		}
	}
	if calls := expires(t, s); len(keys) != 6 || calls != 6 {
		t.Errorf("keys %q, %d calls of PEXPIRE; want 6 of each", keys, calls)
	}
}

// The first call finds what init has left, without a TTL that is none of the script's own.
func TestNoTTLComesBetweenInitAndTheFirstCall(t *testing.T) {
	p := initialised(`return {1, redis.call('PTTL', KEYS[1]), 0, 0}`, `return redis.call('SET', KEYS[1], 1)`, "")
	var found limit.Decision
	p.Decode = func(r resp.Value) (d limit.Decision, err error) {
		found, err = script.Contract(r)
		return found,
			err
	}
	_, _, c := prepared(t, p, true)
	if _, err := c.Call(limit.Request{Key: "k", Cost: 1}); err != nil || found.Remaining != -1 {
		t.Errorf("found a TTL of %d ms, %v; want none", found.Remaining, err)
	}
}
