package redisclock_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/redisclock"
)

// midnight is where the clocks of tests stand.
var midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

func onBoth(t *testing.T, test func(t *testing.T, s *redis.Server)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, redistest.Embedded(t)) })
	t.Run("process", func(t *testing.T) { test(t, redistest.Private(t)) })
}

// under is a dialer to s under a clock that stands at midnight.
func under(s *redis.Server) redisclock.Dialer {
	return redisclock.Dialer{Clock: redisclock.New(midnight),
		Open: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Open(ctx) }}
}

// steered is a client of s, and its clock.
func steered(t *testing.T, s *redis.Server) (*goredis.Client, *redisclock.Clock) {
	t.Helper()
	d := under(s)
	client := goredis.NewClient(&goredis.Options{Dialer: d.DialContext, MaxRetries: -1})
	t.Cleanup(func() { client.Close() })
	return client, d.Clock
}

func TestScriptsAreFoundByTheirDigest(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, clock := steered(t, s)
		ctx := t.Context()
		clock.Advance(42 * time.Microsecond)
		source := goredis.NewScript("local t = redis.call('TIME') return t[1] .. ' ' .. t[2]")
		s.Client.ScriptLoad(ctx, "local t = redis.call('TIME') return t[1] .. ' ' .. t[2]") // by someone else
		if err := source.EvalSha(ctx, client, nil).Err(); !goredis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("a script that only the server knows gives %v, want NOSCRIPT: it would run on the real clock", err)
		}
		for range 2 {
			if got, err := source.Run(ctx, client, nil).Text(); err != nil || got != "1704067200 42" {
				t.Errorf("Script.Run gives %q, %v", got, err)
			}
		}
		if err := client.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		if err := source.EvalSha(ctx, client, nil).Err(); !goredis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("after SCRIPT FLUSH the digest gives %v, want NOSCRIPT", err)
		}
		if sha1 := client.ScriptLoad(ctx, "return 1").Val(); client.EvalSha(ctx, sha1, nil).Val() != int64(1) {
			t.Error("a loaded script is not found")
		}
		err := client.EvalRO(ctx, "return redis.call('SET', KEYS[1], 1)", []string{"k"}).Err()
		if err == nil || !strings.Contains(err.Error(), "Write commands are not allowed") {
			t.Errorf("EVAL_RO that writes gives %v", err)
		}
		err = client.Eval(ctx, "local x\nreturn x.y", nil).Err()
		if err == nil || !strings.HasPrefix(err.Error(), "ERR user_script:2: ") {
			t.Errorf("a script's error is %v, want its line", err)
		}
	})
}

// A command that virtual time refuses outside a transaction spoils a transaction. No other does.
func TestARefusedCommandSpoilsATransaction(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, _ := steered(t, s)
		ctx := t.Context()
		for _, args := range [][]any{{"NOSUCH"}, {"WATCH", "k"}, {"BLPOP", "k", "0"}, {"XADD", "k", "*", "f", "v"},
			{"FCALL", "f", "0"}, {"CONFIG", "SET", "a", "b"}, {"CLIENT", "PAUSE", "1"}, {"COMMAND"}, {"ECHO", "a"},
			{"GET", "k"}, {"set", "k", "w"}, {"HVALS", "h"}, {"TTL", "k"}, {"KEYS", "*"}, {"SCAN", "0"}, {"DBSIZE"},
			{"ZREMRANGEBYSCORE", "z", "0", "1"}, {"RENAMENX", "k", "n"}, {"EVAL", "return 1", "0"},
			{"SCRIPT", "EXISTS", "a"}, {"SPOP", "s"}, {"PEXPIRETIME", "k"}, {"COPY", "a", "b"}, {"TIME"}} {
			outside := client.Do(ctx, args...).Err()
			refused := outside != nil && strings.HasPrefix(outside.Error(), "VTCMD ")
			client.Del(ctx, "told")
			_, inside := client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
				p.Do(ctx, args...)
				p.Set(ctx, "told", "1", 0)
				return nil
			})
			spoilt := inside != nil && strings.HasPrefix(inside.Error(), "EXECABORT ")
			ran := client.Get(ctx, "told").Val() == "1"
			if spoilt != refused || ran == refused {
				t.Errorf("%v: outside %v; inside %v, and what follows it ran: %v", args, outside, inside, ran)
			}
		}
	})
}

// What is no command gets an error reply, after which the connection ends.
func TestNonsenseIsTold(t *testing.T) {
	for _, nonsense := range []string{"\x16\x03\x01\x02\x00", "*1\r\n:1\r\n", "*99999999999\r\n", "PING\r\n", "\r\n",
		"+OK\r\n", "POST / HTTP/1.1\r\nHost: x\r\n\r\nFLUSHALL\r\n*1\r\n$8\r\nFLUSHALL\r\n",
		"*1\r\n$99999999\r\n", strings.Repeat("x", 2000)} {
		conn, err := under(redistest.Embedded(t)).Dial("", "")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s%s", inRESP("PING"), nonsense)
		got, err := io.ReadAll(conn)
		if !strings.HasPrefix(string(got), "+PONG\r\n-ERR Protocol error: ") || strings.Count(string(got), "\n") != 2 ||
			err != nil {
			t.Errorf("%.20q: %q, %v", nonsense, got, err)
		}
		conn.Close()
		if _, err := conn.Write([]byte("PING\r\n")); err == nil {
			t.Error("a closed connection takes a command")
		}
	}
}
