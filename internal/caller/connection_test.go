package caller_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// clockEcho rejects who comes with the client's clock, and says it.
const clockEcho = `return {0, tonumber(ARGV[1]), tonumber(ARGV[2]), #ARGV[3]}`

// A script is told the wall clock's time at which it is called, the request's cost and key, and its reply is decoded,
// however long it is.
func TestWhatAScriptIsTold(t *testing.T) {
	origin := time.UnixMicro(1_700_000_000_000_000)
	now := time.Duration(0)
	o := caller.Options{Origin: origin, Now: func() time.Duration { now += 7 * time.Microsecond; return now }}
	p := scripttest.Program(clockEcho, strings.Repeat("x", 10_000))
	var names limit.Decision
	p.Decode = func(r resp.Value) (d limit.Decision, err error) { names, err = script.Contract(r); return names, err }
	_, _, c := prepared(t, p, o)
	out, err := c.Call(t.Context(), limit.Request{Key: "k", Cost: 12})
	if err != nil || out.Decision.Allowed() {
		t.Fatal(out, err)
	}
	// meet reads the clock at 7 and 14, the arguments are made at 21, written at 28, and the reply is there at 35.
	want := limit.Decision{Remaining: origin.UnixMicro() + 21, RetryAfterUS: 12, ResetAfterUS: 10_000}
	if names != want || out.Written != 28*time.Microsecond || out.Replied != 35*time.Microsecond ||
		out.Aside != 7*time.Microsecond {
		t.Errorf("told %+v, outcome %+v; want %+v", names, out, want)
	}
	if out.BytesRead != len("*4\r\n:0\r\n:1700000000000021\r\n:12\r\n:10000\r\n") || out.BytesWritten < 10_000 {
		t.Errorf("%d bytes written, %d read", out.BytesWritten, out.BytesRead)
	}
}

// A reply of many packets is put together again.
func TestALongReply(t *testing.T) {
	p := scripttest.Program(`return string.rep('x', 3000000)`, "")
	length := 0
	p.Decode = func(r resp.Value) (limit.Decision, error) { length = len(r.Text); return limit.Decision{}, nil }
	_, _, c := prepared(t, p, caller.Options{})
	if _, err := c.Call(t.Context(), limit.Request{Key: "k", Cost: 1}); err != nil || length != 3_000_000 {
		t.Errorf("%d bytes, %v", length, err)
	}
}

// A call that fails names its request, whatever fails.
func TestAFailedCallNamesItsRequest(t *testing.T) {
	failingInit := scripttest.Program(scripttest.Counting, "1")
	failingInit.Init, failingInit.InitSource = &script.Call{Keys: failingInit.Decide.Keys}, "return redis.call('LPUSH')"
	for want, p := range map[string]*script.Program{
		"ERR Wrong number of args": scripttest.Program(`return redis.call('LPUSH')`, ""),
		"OOM too much":             scripttest.Program(`return redis.error_reply('OOM too much')`, ""),
		`reply "maybe": want`:      scripttest.Program(`return 'maybe'`, ""),
		"init: ERR Wrong number":   failingInit,
	} {
		_, _, c := prepared(t, p, caller.Options{})
		_, err := c.Call(t.Context(), limit.Request{AtUS: 12, Key: "k\x1b", Cost: 3})
		if err == nil || !strings.HasPrefix(err.Error(), `request at 12µs, key "k\x1b", cost 3: `+want) {
			t.Errorf("error %v; want %s", err, want)
		}
		if reply := redis.Error(nil); errors.As(err,
			&reply) != (strings.HasPrefix(want, "ERR") || strings.HasPrefix(want, "OOM") || p.Init != nil) {
			t.Errorf("%v: the server's own answer or not?", err)
		}
	}
}

func TestLostScriptsEndTheRun(t *testing.T) {
	s, _, c := prepared(t, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	if err := s.Client.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Call(t.Context(), limit.Request{Key: "k", Cost: 1})
	if err == nil || !strings.Contains(err.Error(), "lost its scripts") {
		t.Errorf("error %v", err)
	}
}

// silent is a connection to a server that has been asked and does not answer.
func silent(t *testing.T) (c *caller.Connection, arrived chan bool) {
	arrived = make(chan bool, 1)
	never := make(chan string)
	t.Cleanup(func() { close(never) })
	server := faked(t, func() string { arrived <- true; return <-never })
	_, c = connected(t, server, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	return c, arrived
}

// A context that ends cuts short what is under way, and its error is the one to tell.
func TestTheContextEndsWhatIsUnderWay(t *testing.T) {
	c, arrived := silent(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	began := time.Now()
	if err := call(ctx, c, limit.Request{Key: "k", Cost: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 20*time.Second { // an answer is waited for longer than that
		t.Errorf("took %v", took)
	}
}

// A context that ends when nobody needs it any more leaves the connection to those who come next.
func TestAFinishedRunKeepsItsConnections(t *testing.T) {
	_, _, c := prepared(t, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	for range 20 {
		ctx, cancel := context.WithCancelCause(t.Context())
		if err := call(ctx, c, limit.Request{Key: "k", Cost: 1}); err != nil {
			t.Fatal(err)
		}
		cancel(caller.ErrFinished)
		time.Sleep(time.Millisecond) // whoever watched it runs by now
	}
}

// An answer is not waited for without an end; the deadline is put off now and then.
func TestTheDeadlineIsPutOff(t *testing.T) {
	s, _, _ := prepared(t, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	server, seen := watching(of(s), 1<<20)
	now := time.Duration(0)
	_, c := connected(t, server, scripttest.Program(scripttest.Counting, "3"),
		caller.Options{Origin: midnight, Now: func() time.Duration { return now }})
	before := seen.deadlines.Load()
	for _, step := range []struct {
		at        time.Duration
		deadlines int64
	}{{-time.Minute, 1}, {-55 * time.Second, 1}, {-54 * time.Second, 2}, {-53 * time.Second, 2}} {
		now = step.at
		if err := call(t.Context(), c, limit.Request{Key: "k", Cost: 1}); err != nil ||
			seen.deadlines.Load()-before != step.deadlines {
			t.Errorf("at %v %d deadlines so far, %v; want %d", now, seen.deadlines.Load()-before, err, step.deadlines)
		}
	}
}

// BenchmarkCall shows what one call allocates.
func BenchmarkCall(b *testing.B) {
	_, _, c := prepared(b, scripttest.Program(scripttest.Counting, "1000"), caller.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), limit.Request{Key: "k", Cost: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
