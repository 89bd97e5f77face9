package virtualtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// slow is a server on which time passes as a test says, also for the real deadlines of keys.
type slow struct {
	*redisserver.Server
	inside *miniredis.Miniredis
	began  time.Time
	passed *atomic.Int64
}

func newSlow(t *testing.T) *slow {
	t.Helper()
	m := miniredis.NewMiniRedis()
	t.Cleanup(m.Close)
	client := redisserver.NewClient(2, func(context.Context) (net.Conn, error) { return m.Dial() })
	t.Cleanup(func() { client.Close() })
	s := &slow{&redisserver.Server{Client: client, Transport: redisserver.TransportPipe}, m,
		time.UnixMicro(1_800_000_000_000_000), &atomic.Int64{}}
	m.SetTime(s.began)
	return s
}

// pass lets time pass.
func (s *slow) pass(d time.Duration) {
	s.passed.Add(int64(d))
	s.inside.SetTime(s.began.Add(s.elapsed()))
	s.inside.FastForward(d)
}

func (s *slow) elapsed() time.Duration { return time.Duration(s.passed.Load()) }

// counters has a key with a TTL of a minute, one that the last request has, and one without any.
const counters = "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], 60000) end " +
	"redis.call('SET', KEYS[1] .. ':last', n, 'EX', 20) " +
	"return {n, redis.call('INCR', KEYS[1] .. ':all'), redis.call('PTTL', KEYS[1]), redis.call('TTL', KEYS[1] .. " +
	"':all')}"

// minutes are requests of six hundred seconds of virtual time, for a few clients.
func minutes() []limit.Request {
	random := rand.New(rand.NewPCG(1, 2))
	return stream(600, 1_000_000, func(int) string { return fmt.Sprint("k", random.IntN(7)) })
}

// decided is what the script answers to them; between is called after every few.
func decided(t *testing.T, s *redisserver.Server, it setup, between func()) ([]string, error) {
	t.Helper()
	var out []string
	it.source, it.batch, it.sentinel = counters, 4, "sentinel"
	r, err := newRunner(t, s, it, func(reply resp.Value) { out = append(out, reply.String()) })
	if err != nil {
		t.Fatal(err)
	}
	for some := range slices.Chunk(minutes(), 8) {
		if err = r.Decide(t.Context(), some, make([]limit.Decision, len(some))); err != nil {
			break
		}
		between()
	}
	if err == nil {
		var left virtualtime.Left
		left, err = r.Left(t.Context(), 599_000_000, false)
		out = append(out, fmt.Sprint(left))
	}
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out, err
}

// A run that takes three hours decides as one that takes no time. No key of it dies early, and at no moment would one
// outlive it by more than the virtual time that has passed, its own TTL and the margin.
func TestDeadlinesMoveOnWithARunThatTakesLong(t *testing.T) {
	quick, err := decided(t, redisservertest.Embedded(t), setup{}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		s := newSlow(t)
		virtual := time.Duration(0)
		got, err := decided(t, s.Server,
			setup{shared: true, real: s.began, elapsed: s.elapsed, behind: time.Microsecond}, func() {
				virtual += 8 * time.Second
				s.check(t, virtual+time.Minute+virtualtime.Margin)
				s.pass(time.Minute + time.Duration(random.Int64N(int64(5*time.Minute)))) // over four hours in all
				s.check(t, virtual+time.Minute+virtualtime.Margin)
			})
		if err != nil || s.elapsed() < 3*time.Hour || !slices.Equal(got, quick) {
			t.Errorf("seed %d: %v; in %v it decides\n%q, want\n%q", seed, err, s.elapsed(), got, quick)
		}
	}
}

// check fails where a key would live for longer than that, or for good.
func (s *slow) check(t *testing.T, most time.Duration) {
	t.Helper()
	for _, key := range s.inside.Keys() {
		if ttl := s.inside.TTL(key); ttl <= 0 || ttl > most {
			t.Errorf("%s has a real TTL of %v, want one of at most %v", key, ttl, most)
		}
	}
}

// On a real server, whose time is its own, it is the same, and every deadline has been moved.
func TestDeadlinesMoveOnOnARealServer(t *testing.T) {
	s := redisservertest.Private(t)
	quick, err := decided(t, s, setup{}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	var passed time.Duration
	got, err := decided(t, s, setup{shared: true, elapsed: func() time.Duration { return passed }}, func() {
		for _, key := range s.Client.Keys(t.Context(), "*").Val() {
			ttl := s.Client.PTTL(t.Context(), key).Val()
			if least := passed + virtualtime.Margin - 5*time.Minute; ttl < least || ttl > passed+2*time.Hour {
				t.Errorf("after %v %s has a real TTL of %v", passed, key, ttl)
			}
		}
		passed += 150 * time.Second
	})
	if err != nil || passed < 3*time.Hour || !slices.Equal(got, quick) {
		t.Errorf("%v; in %v it decides\n%q, want\n%q", err, passed, got, quick)
	}
}

// A process that stood still for longer than its keys live says so, and decides nothing without them.
func TestAProcessThatStoodStillSaysSo(t *testing.T) {
	s := newSlow(t)
	calls := 0
	got, err := decided(t, s.Server, setup{shared: true, real: s.began, elapsed: s.elapsed, behind: time.Microsecond},
		func() {
			if calls++; calls == 20 {
				s.pass(virtualtime.Margin + 15*time.Minute)
			}
		})
	var lost *virtualtime.LostError
	if !errors.As(err, &lost) || lost.Stood != virtualtime.Margin+15*time.Minute || len(got) != 160 {
		t.Errorf("%v after %d decisions, want a LostError after 160", err, len(got))
	}
}

// Nor does one whose server's clock was set forward, of which it knows nothing.
func TestAClockThatWasSetForwardIsNoticed(t *testing.T) {
	s := newSlow(t)
	calls := 0
	got, err := decided(t, s.Server,
		setup{shared: true, real: s.began, elapsed: func() time.Duration { return 0 },
			behind: time.Microsecond}, func() {
			if calls++; calls == 20 {
				s.pass(virtualtime.Margin + time.Hour)
			}
		})
	var lost *virtualtime.LostError
	if !errors.As(err, &lost) || lost.Stood != 0 || len(got) != 160 {
		t.Errorf("%v after %d decisions, want a LostError after 160", err, len(got))
	}
}

// Who waits while others decide on the same server has its deadlines moved on by them.
func TestWhoDecidesMovesOnTheDeadlinesOfThoseThatWait(t *testing.T) {
	s := newSlow(t)
	company := &virtualtime.Company{}
	runner := func(name string) *virtualtime.Runner {
		it := setup{source: counters, batch: 1, shared: true, real: s.began, elapsed: s.elapsed, sentinel: name,
			company: company, keys: []string{name + "{key}"}}
		r, err := newRunner(t, s.Server, it, func(resp.Value) { s.pass(2 * time.Second) })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	waits, busy := runner("w"), runner("b")
	decide := func(r *virtualtime.Runner, requests []limit.Request) error {
		return r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
	}
	first := []limit.Request{at(0, "k")}
	if err := decide(waits, first); err != nil {
		t.Fatal(err)
	}
	if err := decide(busy, stream(600, 1000, oneKey)); err != nil { // twenty minutes
		t.Fatal(err)
	}
	if err := decide(waits, []limit.Request{at(600_000, "k")}); err != nil {
		t.Errorf("who waited meanwhile: %v", err)
	}
	for _, r := range []*virtualtime.Runner{waits, busy} {
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if keys := s.inside.Keys(); len(keys) != 0 {
		t.Errorf("%q are left", keys)
	}
}
