package replay_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/replay"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// fakeClock moves when somebody sleeps, and oversleeps as it is told to.
type fakeClock struct {
	now       time.Time
	slept     []time.Duration
	oversleep time.Duration
	stop      error // what Sleep answers, where it is not nil
}

func (c *fakeClock) clock() replay.Clock {
	return replay.Clock{
		Now: func() time.Time { return c.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			c.slept = append(c.slept, d)
			c.now = c.now.Add(d + c.oversleep)
			return c.stop
		},
	}
}

// trips counts the calls of each write.
type trips struct {
	net.Conn
	sizes *[]int
}

func (c trips) Write(p []byte) (int, error) {
	if n := strings.Count(string(p), "EVALSHA"); n > 0 {
		*c.sizes = append(*c.sizes, n)
	}
	return c.Conn.Write(p)
}

// at are requests for one key.
func at(us ...int64) []limit.Request {
	var all []limit.Request
	for _, t := range us {
		all = append(all, limit.Request{AtUS: t, Key: "k", Cost: 1})
	}
	return all
}

// wallClock decides requests with a program on a private server, and says how many went in each write.
func wallClock(t *testing.T, p *script.Program, c *fakeClock) (w *replay.WallClock, client *redis.Client,
	sizes *[]int) {
	t.Helper()
	s := redisservertest.Private(t)
	options := *s.Client.Options()
	dialer := options.Dialer
	sizes = new([]int)
	options.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dialer(ctx, network, addr)
		return trips{conn, sizes}, err
	}
	client = redis.NewClient(&options)
	t.Cleanup(func() { client.Close() })
	w, err := replay.NewWallClock(t.Context(), client, replay.Keys{}, p, c.clock(), midnight)
	if err != nil {
		t.Fatal(err)
	}
	return w, client, sizes
}

// Each request is sent when it is due, with the clock of that moment; those due together share one round trip.
func TestRequestsAreSentWhenTheyAreDue(t *testing.T) {
	c := &fakeClock{now: midnight.Add(-time.Second)}
	w, _, sizes := wallClock(t, scripttest.Program(scripttest.Counting, "3"), c)
	requests := at(0, 500, 500, 500, 2000)
	decisions := make([]limit.Decision, len(requests))
	if err := w.Decide(t.Context(), requests, decisions); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{time.Second, 500 * time.Microsecond, 1500 * time.Microsecond}; !slices.Equal(c.slept,
		want) {
		t.Errorf("slept %v; want %v", c.slept, want)
	}
	if want := []int{1, 3, 1}; !slices.Equal(*sizes, want) {
		t.Errorf("round trips of %v requests; want %v", *sizes, want)
	}
	for i, q := range requests {
		if want := midnight.UnixMicro() + q.AtUS; decisions[i].Remaining != want || decisions[i].Allowed() != (i < 3) {
			t.Errorf("request %d: %+v; want the clock at %d, and three admitted", i, decisions[i], want)
		}
	}
	if w.Late() != 0 {
		t.Errorf("late by %v on a perfect clock", w.Late())
	}
}

// A clock that oversleeps makes requests late, and what has become due meanwhile goes with them.
func TestOversleepingIsReportedAsLateness(t *testing.T) {
	c := &fakeClock{now: midnight, oversleep: 2 * time.Millisecond}
	w, _, sizes := wallClock(t, scripttest.Program(scripttest.Counting, "3"), c)
	requests := at(1000, 2500, 3000, 9000)
	if err := w.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
		t.Fatal(err)
	}
	// Woken at 3000 for the first, at 11000 for the last.
	if want := []int{3, 1}; !slices.Equal(*sizes, want) {
		t.Errorf("round trips of %v requests; want %v", *sizes, want)
	}
	if w.Late() != 2*time.Millisecond {
		t.Errorf("late by %v; want 2ms", w.Late())
	}
}

// Told to stop while it waits, it gives up.
func TestAWaitThatIsStoppedEndsTheLane(t *testing.T) {
	c := &fakeClock{now: midnight, stop: replay.ErrStopped}
	w, client, _ := wallClock(t, scripttest.Program(scripttest.Counting, "3"), c)
	if err := w.Decide(t.Context(), at(1000), make([]limit.Decision, 1)); !errors.Is(err, replay.ErrStopped) {
		t.Errorf("error %v", err)
	}
	if n := client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys, although nothing was sent", n)
	}
}

// Close deletes what was named in KEYS, by the thousand, and nobody else's keys.
func TestCloseDeletesItsOwnKeysOnly(t *testing.T) {
	c := &fakeClock{now: midnight}
	w, client, _ := wallClock(t, scripttest.Program(scripttest.Counting, "3"), c)
	if err := client.Set(t.Context(), "mine:{somebody}", "else's", 0).Err(); err != nil {
		t.Fatal(err)
	}
	var requests []limit.Request
	for i := range int64(1200) {
		requests = append(requests, limit.Request{Key: key(i), Cost: 1})
	}
	if err := w.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
		t.Fatal(err)
	}
	if n := client.DBSize(t.Context()).Val(); n != 1201 {
		t.Errorf("%d keys before Close; want 1201", n)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := client.Keys(t.Context(), "*").Val(); !slices.Equal(left, []string{"mine:{somebody}"}) {
		t.Errorf("after Close there are %q", left)
	}
}

// On somebody else's server a key that its script gives no TTL gets a long one: a killed run leaves nothing for good.
// A key with a TTL of its own keeps it.
func TestOnASharedServerEveryKeyExpires(t *testing.T) {
	s := redisservertest.Private(t)
	p := scripttest.Program(`if ARGV[2] == '1' then redis.call('SET', KEYS[1], 1) else redis.call('SET', KEYS[1], 1, 'EX', 60) end return {1, 0, 0, 0}`, "3")
	for lasts, ttl := range map[time.Duration]time.Duration{0: 24 * time.Hour, time.Hour: 70 * time.Minute} {
		keys := replay.Keys{Shared: true, Lasts: lasts, Sentinel: "sentinel"}
		w, err := replay.NewWallClock(t.Context(), s.Client, keys, p, (&fakeClock{now: midnight}).clock(), midnight)
		if err != nil {
			t.Fatal(err)
		}
		requests := []limit.Request{{Key: "endless", Cost: 1}, {Key: "short", Cost: 2}}
		if err := w.Decide(t.Context(), requests, make([]limit.Decision, 2)); err != nil {
			t.Fatal(err)
		}
		for key, most := range map[string]time.Duration{"mine:{endless}": ttl, "mine:{short}": time.Minute,
			"sentinel": ttl} {
			if ttl := s.Client.PTTL(t.Context(), key).Val(); ttl > most || ttl < most*9/10 {
				t.Errorf("%s expires in %v; want %v", key, ttl, most)
			}
		}
		if err := w.Close(t.Context()); err != nil || s.Client.DBSize(t.Context()).Val() != 0 {
			t.Errorf("keys left, %v", err)
		}
	}
}

// Keys that somebody deletes during a run are noticed by the one that no script touches.
func TestAFlushIsNoticedOnTheWallClock(t *testing.T) {
	s := redisservertest.Private(t)
	p := scripttest.Program(`return {1, 0, 0, 0}`, "3")
	w, err := replay.NewWallClock(t.Context(), s.Client, replay.Keys{Sentinel: "sentinel"}, p,
		(&fakeClock{now: midnight}).clock(), midnight)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s.Client.FlushAll(t.Context())
	if err := w.Check(t.Context()); !errors.Is(err, replay.ErrGone) {
		t.Errorf("after FLUSHALL %v, want ErrGone", err)
	}
}

// An init script is called once for each key, before its first request.
func TestInitIsCalledOncePerKey(t *testing.T) {
	p := scripttest.Program(`return {1, tonumber(redis.call('GET', KEYS[1])), 0, 0}`, "3")
	p.Init = &script.Call{Keys: p.Decide.Keys, Args: []script.Template{script.Literal("40")}}
	p.InitSource = `return redis.call('INCRBY', KEYS[1], ARGV[1])`
	w, _, _ := wallClock(t, p, &fakeClock{now: midnight})
	requests := []limit.Request{{Key: "a", Cost: 1}, {Key: "b", Cost: 1}, {Key: "a", Cost: 1},
		{AtUS: 5, Key: "b", Cost: 1}}
	decisions := make([]limit.Decision, len(requests))
	if err := w.Decide(t.Context(), requests, decisions); err != nil {
		t.Fatal(err)
	}
	for i, d := range decisions {
		if d.Remaining != 40 {
			t.Errorf("request %d found %d; want 40, from one init", i, d.Remaining)
		}
	}
}

// Every kind of reply reaches the program as it does in virtual time: nil too, which is no error here.
func TestRepliesOfEveryKindAreDecoded(t *testing.T) {
	for _, test := range []struct {
		name, source string
		want         resp.Kind
	}{
		{"number", "return 7", resp.Int},
		{"text", "return 'yes'", resp.String},
		{"status", "return redis.status_reply('OK')", resp.String},
		{"false", "return false", resp.Nil},
		{"nothing", "redis.call('GET', KEYS[1])", resp.Nil},
		{"table", "return {1, {2, 'x'}}", resp.Array},
		{"error reply", "return redis.error_reply('ERR no')", resp.Error},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := scripttest.Program(test.source, "3")
			var got []resp.Value
			p.Decode = func(r resp.Value) (limit.Decision, error) {
				got = append(got, r)
				return limit.Decision{Verdict: limit.Allowed}, nil
			}
			w, _, _ := wallClock(t, p, &fakeClock{now: midnight})
			if err := w.Decide(t.Context(), at(0, 0), make([]limit.Decision, 2)); err != nil {
				t.Fatal(err)
			}
			if len(got) != 2 || got[0].Kind != test.want || got[1].Kind != test.want {
				t.Errorf("replies %v; want two of kind %d", got, test.want)
			}
		})
	}
}

// A call that fails, an answer that is none and an init that fails name their request.
func TestAFailedCallNamesItsRequest(t *testing.T) {
	failingInit := scripttest.Program(scripttest.Counting, "3")
	failingInit.Init, failingInit.InitSource = &script.Call{Keys: failingInit.Decide.Keys}, "return redis.call('LPUSH')"
	for name, p := range map[string]*script.Program{
		"run-time error": scripttest.Program(`return redis.call('LPUSH')`, "3"),
		"nonsense":       scripttest.Program(`return 'maybe'`, "3"),
		"init":           failingInit,
	} {
		w, _, _ := wallClock(t, p, &fakeClock{now: midnight})
		err := w.Decide(t.Context(), at(12), make([]limit.Decision, 1))
		if err == nil || !strings.HasPrefix(err.Error(), `request at 12µs, key "k", cost 1: `) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A server that has forgotten its scripts has forgotten the keys too, perhaps: the run is over.
func TestLostScriptsEndTheRun(t *testing.T) {
	w, client, _ := wallClock(t, scripttest.Program(scripttest.Counting, "3"),
		&fakeClock{now: midnight})
	if err := client.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	err := w.Decide(t.Context(), at(0), make([]limit.Decision, 1))
	if err == nil || !strings.Contains(err.Error(), "lost its scripts") {
		t.Errorf("error %v", err)
	}
}

func TestAScriptThatDoesNotCompileIsRefusedAtOnce(t *testing.T) {
	s := redisservertest.Private(t)
	p := scripttest.Program("return (", "3")
	clock := (&fakeClock{}).clock()
	if _, err := replay.NewWallClock(t.Context(), s.Client, replay.Keys{}, p, clock, midnight); err == nil {
		t.Error("no error")
	}
}
