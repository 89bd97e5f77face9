package load_test

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// counting admits the first three requests of a key.
const counting = `if redis.call('INCR', KEYS[1]) <= tonumber(ARGV[3]) then return {1, tonumber(ARGV[1]), 0, 0} end return {0, tonumber(ARGV[1]), 0, 0}`

// program takes the caller's clock, the cost and the limit.
func program(source, most string) *script.Program {
	return &script.Program{Label: "mine", Source: source, Decode: script.Contract,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("mine:")}, Args: []script.Template{script.NowUS(1), script.Cost(), script.Literal(most)}}}
}

// prepared is a program on a private server, with connections.
func prepared(t testing.TB, p *script.Program, connections int, o load.TargetOptions) (*redisserver.Server, *load.Target, []load.Caller) {
	t.Helper()
	s := redisservertest.Private(t)
	o.Prefix = s.Prefix
	if o.Clock.Now == nil {
		o.Clock = load.NewClock(time.Now())
	}
	target, err := load.Prepare(t.Context(), s.Client, p, o)
	if err != nil {
		t.Fatal(err)
	}
	callers, err := target.Connect(t.Context(), connections)
	if err != nil {
		t.Fatal(err)
	}
	return s, target, callers
}

// every gives n requests for key, one every gap.
func every(gap time.Duration, n int, key string) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range n {
			if !yield(limit.Request{AtUS: int64(i) * gap.Microseconds(), Key: key, Cost: 1}, nil) {
				return
			}
		}
	}
}

// Both loops decide what a client would be told, send as many calls as they say, and leave nothing behind.
func TestBothLoopsOnAServer(t *testing.T) {
	clock := load.NewClock(time.Now())
	s, target, callers := prepared(t, program(counting, "3"), 4, load.TargetOptions{Clock: clock})
	open, err := load.Open(t.Context(), every(500*time.Microsecond, 200, "k"), callers, load.OpenOptions{Clock: clock, WarmUp: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// Of the three that are admitted, as many are counted as were decided after the warm-up's two: on a busy machine these
	// can be overtaken.
	if open.Offered != 198 || open.Sent != 198 || open.WarmUp != 2 || open.Accepted < 1 || open.Accepted > 3 || open.Accepted+open.Rejected != 198 ||
		open.PoolWaits > open.Sent {
		t.Errorf("open loop: %+v", open)
	}
	closed, err := load.Closed(t.Context(), every(0, 1, "k"), callers, load.ClosedOptions{Clock: clock, Duration: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if closed.Sent == 0 || closed.Accepted != 0 {
		t.Errorf("closed loop: %+v", closed)
	}
	calls := open.Sent + open.WarmUp + closed.Sent + closed.WarmUp
	if got := s.Client.Get(t.Context(), s.Prefix+"mine:{k}").Val(); got != strconv.FormatInt(calls, 10) {
		t.Errorf("the server counted %s calls; want %d", got, calls)
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys left", n)
	}
}

// clockEcho rejects who comes with the client's clock, and says it.
const clockEcho = `return {0, tonumber(ARGV[1]), tonumber(ARGV[2]), #ARGV[3]}`

// A script is told the wall clock's time at which it is called, the request's cost and key, and its reply is decoded,
// however long it is.
func TestWhatAScriptIsTold(t *testing.T) {
	origin := time.UnixMicro(1_700_000_000_000_000)
	now := time.Duration(0)
	clock := load.Stopwatch{Origin: origin, Now: func() time.Duration { now += 7 * time.Microsecond; return now }}
	p := program(clockEcho, strings.Repeat("x", 10_000))
	var names limit.Decision
	p.Decode = func(r resp.Value) (d limit.Decision, err error) { names, err = script.Contract(r); return names, err }
	_, _, callers := prepared(t, p, 1, load.TargetOptions{Clock: clock})
	o, err := callers[0].Call(t.Context(), limit.Request{Key: "k", Cost: 12})
	if err != nil || o.Allowed {
		t.Fatal(o, err)
	}
	// meet reads the clock at 7 and 14, the arguments are made at 21, written at 28, and the reply is there at 35.
	want := limit.Decision{Remaining: origin.UnixMicro() + 21, RetryAfterUS: 12, ResetAfterUS: 10_000}
	if names != want || o.Written != 28*time.Microsecond || o.Replied != 35*time.Microsecond || o.Aside != 7*time.Microsecond {
		t.Errorf("told %+v, outcome %+v; want %+v", names, o, want)
	}
	if o.BytesRead != len("*4\r\n:0\r\n:1700000000000021\r\n:12\r\n:10000\r\n") || o.BytesWritten < 10_000 {
		t.Errorf("%d bytes written, %d read", o.BytesWritten, o.BytesRead)
	}
}

// A reply of many packets is put together again.
func TestALongReply(t *testing.T) {
	p := program(`return string.rep('x', 3000000)`, "")
	length := 0
	p.Decode = func(r resp.Value) (limit.Decision, error) { length = len(r.Text); return limit.Decision{}, nil }
	_, _, callers := prepared(t, p, 1, load.TargetOptions{})
	if _, err := callers[0].Call(t.Context(), limit.Request{Key: "k", Cost: 1}); err != nil || length != 3_000_000 {
		t.Errorf("%d bytes, %v", length, err)
	}
}

// Init is called once per key by whoever comes first, ahead of the run where the keys are introduced.
func TestInitIsCalledOncePerKey(t *testing.T) {
	p := program(`return {1, tonumber(redis.call('GET', KEYS[1])), 0, 0}`, "")
	p.Init = &script.Call{Keys: p.Decide.Keys, Args: []script.Template{script.Literal("40")}}
	p.InitSource = `return redis.call('INCRBY', KEYS[1], ARGV[1])`
	contract := p.Decode
	var wrong atomic.Int64
	p.Decode = func(r resp.Value) (limit.Decision, error) {
		d, err := contract(r)
		if d.Remaining != 40 {
			wrong.Add(1)
		}
		return d, err
	}
	clock := load.NewClock(time.Now())
	s, target, callers := prepared(t, p, 8, load.TargetOptions{Clock: clock})
	if err := target.Introduce(t.Context(), []string{"a", "b", "a"}); err != nil || target.InitCalls() != 2 {
		t.Fatalf("%d calls of init, %v", target.InitCalls(), err)
	}
	stream := func(yield func(limit.Request, error) bool) {
		for n := range 300 {
			if !yield(limit.Request{Key: string(rune('a' + n/20)), Cost: 1}, nil) {
				return
			}
		}
	}
	r, err := load.Open(t.Context(), stream, callers, load.OpenOptions{Clock: clock})
	if err != nil || r.Sent != 300 || wrong.Load() != 0 || target.InitCalls() != 15 {
		t.Errorf("%d sent, %d found something else than one init's 40, %d inits, %v", r.Sent, wrong.Load(), target.InitCalls(), err)
	}
	if err := target.Close(t.Context()); err != nil || s.Client.DBSize(t.Context()).Val() != 0 {
		t.Error("keys left", err)
	}
}

// On somebody else's server a key that its script gives no TTL gets a long one, and one with a TTL keeps it.
func TestOnASharedServerEveryKeyExpires(t *testing.T) {
	p := program(`if ARGV[2] == '1' then redis.call('INCR', KEYS[1]) else redis.call('SET', KEYS[1], 1, 'EX', 60) end return {1, 0, 0, 0}`, "")
	s, target, callers := prepared(t, p, 1, load.TargetOptions{Shared: true, Lasts: time.Hour})
	for cost, key := range map[int64]string{1: "endless", 2: "short"} {
		for range 3 {
			if _, err := callers[0].Call(t.Context(), limit.Request{Key: key, Cost: cost}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, most := range map[string]time.Duration{"endless": 70 * time.Minute, "short": time.Minute} {
		if ttl := s.Client.PTTL(t.Context(), s.Prefix+"mine:{"+key+"}").Val(); ttl > most || ttl < most*9/10 {
			t.Errorf("%s expires in %v; want %v", key, ttl, most)
		}
	}
	if target.ExpireCalls() != 2 {
		t.Errorf("%d calls of PEXPIRE; want one per key", target.ExpireCalls())
	}
}

// A call that fails names its request, whatever fails.
func TestAFailedCallNamesItsRequest(t *testing.T) {
	failingInit := program(counting, "1")
	failingInit.Init, failingInit.InitSource = &script.Call{Keys: failingInit.Decide.Keys}, "return redis.call('LPUSH')"
	for want, p := range map[string]*script.Program{
		"ERR Wrong number of args": program(`return redis.call('LPUSH')`, ""),
		"OOM too much":             program(`return redis.error_reply('OOM too much')`, ""),
		`reply "maybe": want`:      program(`return 'maybe'`, ""),
		"init: ERR Wrong number":   failingInit,
	} {
		_, _, callers := prepared(t, p, 1, load.TargetOptions{})
		_, err := callers[0].Call(t.Context(), limit.Request{AtUS: 12, Key: "k\x1b", Cost: 3})
		if err == nil || !strings.HasPrefix(err.Error(), `request at 12µs, key "k\x1b", cost 3: `+want) {
			t.Errorf("error %v; want %s", err, want)
		}
		if reply := redis.Error(nil); errors.As(err, &reply) != (strings.HasPrefix(want, "ERR") || strings.HasPrefix(want, "OOM") || p.Init != nil) {
			t.Errorf("%v: the server's own answer or not?", err)
		}
	}
}

func TestLostScriptsEndTheRun(t *testing.T) {
	s, _, callers := prepared(t, program(counting, "3"), 1, load.TargetOptions{})
	if err := s.Client.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := callers[0].Call(t.Context(), limit.Request{Key: "k", Cost: 1})
	if err == nil || !strings.Contains(err.Error(), "lost its scripts") {
		t.Errorf("error %v", err)
	}
}

func TestAScriptThatDoesNotCompileIsRefusedAtOnce(t *testing.T) {
	s := redisservertest.Private(t)
	if _, err := load.Prepare(t.Context(), s.Client, program("return (", ""), load.TargetOptions{}); err == nil {
		t.Error("no error")
	}
	p := program(counting, "3")
	p.Init, p.InitSource = &script.Call{}, "return ("
	if _, err := load.Prepare(t.Context(), s.Client, p, load.TargetOptions{}); err == nil || !strings.HasPrefix(err.Error(), "init: ") {
		t.Errorf("init: %v", err)
	}
}

// A server that cannot be had any more is no reason to hang.
func TestConnectToAServerThatIsGone(t *testing.T) {
	s, target, _ := prepared(t, program(counting, "3"), 1, load.TargetOptions{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if callers, err := target.Connect(context.Background(), 2); err == nil || callers != nil {
		t.Errorf("%d callers, %v", len(callers), err)
	}
}
