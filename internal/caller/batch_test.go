package caller_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
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

// remaining are what remains after each decision.
func remaining(decisions []limit.Decision) []int64 {
	var all []int64
	for _, d := range decisions {
		all = append(all, d.Remaining)
	}
	return all
}

// A batch is one write, each reply goes to its own request, and all are told the same time. However the replies come
// in, they are put together again, the short and the long.
func TestABatchIsOneWriteAndKeepsItsOrder(t *testing.T) {
	p := scripttest.Program(`return {string.rep('x', tonumber(ARGV[2])), tonumber(ARGV[1])}`, "")
	p.Decode = func(r resp.Value) (limit.Decision, error) {
		return limit.Decision{Remaining: int64(len(r.Items[0].Text)), ResetAfterUS: r.Items[1].Int}, nil
	}
	s, _, _ := prepared(t, p, caller.Options{})
	for _, most := range []int{7, 1000, 1 << 20} {
		client, seen := watching(t, s.Client, most)
		_, c := connected(t, client, p, caller.Options{})
		for _, costs := range [][]int64{{3, 1, 2}, {1, 5000, 2, 3000, 3000, 20_000, 1}} {
			seen.writes = nil
			var requests []limit.Request
			for i, cost := range costs {
				requests = append(requests, limit.Request{Key: fmt.Sprint(i % 2), Cost: cost})
			}
			decisions := make([]limit.Decision, len(requests))
			if err := c.Batch(t.Context(), midnight, requests, decisions); err != nil {
				t.Fatal(err)
			}
			if got := remaining(decisions); !slices.Equal(got, costs) {
				t.Errorf("in pieces of %d bytes %v; want %v", most, got, costs)
			}
			for i, d := range decisions {
				if d.ResetAfterUS != midnight.UnixMicro() {
					t.Errorf("request %d was told %d; want %d", i, d.ResetAfterUS, midnight.UnixMicro())
				}
			}
			if len(seen.writes) != 1 {
				t.Errorf("%d writes; want one", len(seen.writes))
			}
		}
	}
}

// A batch of as many requests as there may be comes back whole, more than once.
func TestALargeBatch(t *testing.T) {
	_, target, c := prepared(t, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	requests := make([]limit.Request, 512)
	for i := range requests {
		requests[i] = limit.Request{Key: fmt.Sprint("key", i/4), Cost: 1}
	}
	for round := range 3 {
		decisions := make([]limit.Decision, len(requests))
		if err := c.Batch(t.Context(), midnight, requests, decisions); err != nil {
			t.Fatal(err)
		}
		for i, d := range decisions {
			if d.Allowed() != (round == 0 && i%4 < 3) {
				t.Fatalf("round %d, request %d: %+v", round, i, d)
			}
		}
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Init goes before the first request for its key, wherever that is, and behind those before it: all count on.
func TestInitInTheMiddleOfABatch(t *testing.T) {
	const count = `return {1, redis.call('INCR', KEYS[1]), 0, 0}`
	p := initialised(count, count, "")
	p.Decide.Keys = []script.Template{script.Literal("all")}
	p.Init.Keys = p.Decide.Keys
	_, target, c := prepared(t, p, caller.Options{})
	for _, step := range []struct {
		keys  string
		want  []int64
		inits int64
	}{{"aaba", []int64{2, 3, 5, 6}, 2}, {"bac", []int64{7, 8, 10}, 3}} {
		var requests []limit.Request
		for _, key := range step.keys {
			requests = append(requests, limit.Request{Key: string(key), Cost: 1})
		}
		decisions := make([]limit.Decision, len(requests))
		err := c.Batch(t.Context(), midnight, requests, decisions)
		if got := remaining(decisions); err != nil || !slices.Equal(got, step.want) ||
			target.InitCalls() != step.inits {
			t.Errorf("%s: counted %v with %d inits, %v; want %v with %d", step.keys, got, target.InitCalls(), err,
				step.want, step.inits)
		}
	}
}

// An error reply in the middle names its request, the first of several; the next batch finds nothing of it.
func TestAnErrorInTheMiddleOfABatch(t *testing.T) {
	const failing = `if ARGV[2] == '1' then return {1, 7, 0, 0} end return redis.error_reply('OOM ' .. ARGV[2])`
	init := `if KEYS[1] == 'mine:{bad}' then return redis.error_reply('ERR no') end`
	for name, test := range map[string]struct {
		p       *script.Program
		broken  limit.Request
		want    string
		byReply bool
	}{
		"reply": {scripttest.Program(failing, ""), limit.Request{AtUS: 12, Key: "k", Cost: 2}, "OOM 2", true},
		"init": {initialised(failing, init, ""), limit.Request{AtUS: 12, Key: "bad", Cost: 1}, "init: ERR no",
			true},
		"nonsense": {scripttest.Program(`return ARGV[2] == '1' and {1, 7, 0, 0} or 'maybe'`, ""),
			limit.Request{AtUS: 12, Key: "k", Cost: 3}, `reply "maybe": want`, false},
	} {
		s, _, _ := prepared(t, test.p, caller.Options{})
		client, _ := watching(t, s.Client, 7) // so that what is not read waits on the connection
		_, c := connected(t, client, test.p, caller.Options{Shared: true})
		good, late := limit.Request{Key: "k", Cost: 1}, limit.Request{AtUS: 99, Key: "k", Cost: 4}
		err := c.Batch(t.Context(), midnight, []limit.Request{good, test.broken, good, late, good},
			make([]limit.Decision, 5))
		want := fmt.Sprintf("request at 12µs, key %q, cost %d: %s", test.broken.Key, test.broken.Cost, test.want)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v; want %s", name, err, want)
		}
		if reply := redis.Error(nil); errors.As(err, &reply) != test.byReply {
			t.Errorf("%s: %v: the server's own answer or not?", name, err)
		}
		decisions := make([]limit.Decision, 2)
		if err := c.Batch(t.Context(), midnight, []limit.Request{good, good}, decisions); err != nil ||
			decisions[1].Remaining != 7 {
			t.Errorf("%s: then %+v, %v", name, decisions, err)
		}
	}
}

func TestLostScriptsEndABatch(t *testing.T) {
	s, _, c := prepared(t, scripttest.Program(scripttest.Counting, "3"), caller.Options{})
	requests := []limit.Request{{Key: "k", Cost: 1}, {AtUS: 5, Key: "l", Cost: 1}}
	if err := c.Batch(t.Context(), midnight, requests, make([]limit.Decision, 2)); err != nil {
		t.Fatal(err)
	}
	if err := s.Client.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	err := c.Batch(t.Context(), midnight, requests, make([]limit.Decision, 2))
	want := `request at 0µs, key "k", cost 1: the server lost its scripts`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v; want %s", err, want)
	}
}

// A connection that breaks between two replies, or brings what is none, ends the batch with its own error, and at once.
func TestABrokenConnectionEndsABatch(t *testing.T) {
	const ok = "*4\r\n:1\r\n:0\r\n:0\r\n:0\r\n"
	for name, test := range map[string]struct {
		second string
		is     func(error) bool
	}{
		"hangs up":   {"", func(err error) bool { return err == io.EOF || errors.As(err, new(*net.OpError)) }},
		"garbage":    {"HTTP/1.1 400 Bad Request\r\n", isProtocol},
		"cut short":  {"*4\r\n:1\r\n", nil},
		"too many":   {ok + ok, isProtocol},
		"a negative": {"-ERR no\r\n", func(err error) bool { return strings.HasPrefix(err.Error(), "request at 5µs") }},
	} {
		t.Run(name, func(t *testing.T) {
			answers := make(chan string, 4)
			answers <- ok
			answers <- test.second
			answers <- ""
			_, c := connected(t, faked(t, func() string { return <-answers }),
				scripttest.Program(scripttest.Counting, "3"), caller.Options{})
			requests := []limit.Request{{Key: "k", Cost: 1}, {AtUS: 5, Key: "k", Cost: 1}}
			if name == "cut short" {
				requests = append(requests, requests[1])
				test.is = func(err error) bool { return err == io.EOF || errors.As(err, new(*net.OpError)) }
			}
			began := time.Now()
			err := c.Batch(t.Context(), midnight, requests, make([]limit.Decision, len(requests)))
			if err == nil || !test.is(err) || time.Since(began) > 10*time.Second {
				t.Errorf("error %v after %v", err, time.Since(began))
			}
		})
	}
}

func isProtocol(err error) bool { return errors.As(err, new(*resp.ProtocolError)) }
