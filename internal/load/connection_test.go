package load

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	servers "ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
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
	clock := Stopwatch{Origin: origin, Now: func() time.Duration { now += 7 * time.Microsecond; return now }}
	p := scripttest.Program(clockEcho, strings.Repeat("x", 10_000))
	var names limit.Decision
	p.Decode = func(r resp.Value) (d limit.Decision, err error) { names, err = script.Contract(r); return names, err }
	_, c := connected(t, of(redistest.Private(t)), p, clock)
	out, err := c.Call(limit.Request{Key: "k", Cost: 12})
	if err != nil || out.Decision.Allowed() {
		t.Fatal(out, err)
	}
	// The arguments are made at 7, written at 14, and the reply is there at 21.
	want := limit.Decision{Remaining: origin.UnixMicro() + 7, RetryAfterUS: 12, ResetAfterUS: 10_000}
	if names != want || out.Written != 14*time.Microsecond || out.Replied != 21*time.Microsecond ||
		out.Aside != 0 {
		t.Errorf("told %+v, outcome %+v; want %+v", names, out, want)
	}
	if out.BytesRead != len("*4\r\n:0\r\n:1700000000000007\r\n:12\r\n:10000\r\n") || out.BytesWritten < 10_000 {
		t.Errorf("%d bytes written, %d read", out.BytesWritten, out.BytesRead)
	}
}

// No two calls have one id, on whichever connection, and none has one of virtual time, which counts from 0.
func TestCallsHaveIDs(t *testing.T) {
	p := scripttest.Program(`return ARGV[2]`, "")
	p.Decide.Args[1], _ = script.ParseTemplate("{id}", nil)
	var ids []string
	p.Decode = func(r resp.Value) (limit.Decision, error) {
		ids = append(ids, strings.Clone(r.Text))
		return limit.Decision{}, nil
	}
	_, target, c := prepared(t, p)
	other, err := target.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []*Connection{c, other, c} {
		if _, err := by.Call(limit.Request{Key: "k", Cost: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"1000000000000001", "1000000000000002", "1000000000000003"}; !slices.Equal(ids, want) {
		t.Errorf("ids %v; want %v", ids, want)
	}
}

// A reply of many packets is put together again.
func TestALongReply(t *testing.T) {
	p := scripttest.Program(`return string.rep('x', 3000000)`, "")
	length := 0
	p.Decode = func(r resp.Value) (limit.Decision, error) { length = len(r.Text); return limit.Decision{}, nil }
	_, _, c := prepared(t, p)
	if _, err := c.Call(limit.Request{Key: "k", Cost: 1}); err != nil || length != 3_000_000 {
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
		_, _, c := prepared(t, p)
		_, err := c.Call(limit.Request{AtUS: 12, Key: "k\x1b", Cost: 3})
		if err == nil || !strings.HasPrefix(err.Error(), `request at 12µs, key "k\x1b", cost 3: `+want) {
			t.Errorf("error %v; want %s", err, want)
		}
		if reply := redis.Error(nil); errors.As(err,
			&reply) != (strings.HasPrefix(want, "ERR") || strings.HasPrefix(want, "OOM") || p.Init != nil) {
			t.Errorf("%v: the server's own answer or not?", err)
		}
	}
}

// A server that lost its scripts ends the run, also if the program's binding accepts error replies.
func TestLostScriptsEndTheRun(t *testing.T) {
	p := scripttest.Program(scripttest.Counting, "3")
	p.Decode = func(resp.Value) (limit.Decision, error) { return limit.Decision{}, nil }
	s, _, c := prepared(t, p)
	if err := s.Client.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Call(limit.Request{Key: "k", Cost: 1})
	var gone *servers.Unavailable
	if !errors.As(servers.Explain(err, s), &gone) || !strings.Contains(gone.Error(), "NOSCRIPT") {
		t.Errorf("error %v", err)
	}
}

// A context that ends cuts short what is under way, and its error is the one to tell.
func TestTheContextEndsWhatIsUnderWay(t *testing.T) {
	arrived, never := make(chan bool, 1), make(chan string)
	t.Cleanup(func() { close(never) })
	server := faked(t, func() string { arrived <- true; return <-never })
	target, err := Prepare(t.Context(), server, scripttest.Program(scripttest.Counting, "3"), ticking())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := target.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-arrived; cancel() }()
	if _, err := c.Call(limit.Request{Key: "k", Cost: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// An answer is not waited for without an end; the deadline is put off now and then.
func TestTheDeadlineIsPutOff(t *testing.T) {
	server := of(redistest.Private(t))
	var deadlines atomic.Int64
	open := server.Open
	server.Open = func(ctx context.Context) (net.Conn, error) {
		conn, err := open(ctx)
		return watched{conn, &deadlines}, err
	}
	now := time.Duration(0)
	_, c := connected(t, server, scripttest.Program(scripttest.Counting, "3"),
		Stopwatch{Origin: midnight, Now: func() time.Duration { return now }})
	before := deadlines.Load()
	for _, step := range []struct {
		at        time.Duration
		deadlines int64
	}{{-time.Minute, 1}, {-55 * time.Second, 1}, {-54 * time.Second, 2}, {-53 * time.Second, 2}} {
		now = step.at
		if _, err := c.Call(limit.Request{Key: "k", Cost: 1}); err != nil ||
			deadlines.Load()-before != step.deadlines {
			t.Errorf("at %v %d deadlines so far, %v; want %d", now, deadlines.Load()-before, err, step.deadlines)
		}
	}
}
