package redisclock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"ratelab/internal/redis/redistest"
)

// forms are commands: %k is the key of a text, %j that of anything, %d a number of seconds, %D the same in ms, %a an
// instant so far from now, in s, and %A in ms.
var forms = strings.Split(`SET %k v; SET %k v EX %d; SET %k v PX %D; SET %k v EXAT %a; SET %k v PXAT %A; SET %k 7 KEEPTTL;
SET %k v NX EX %d; SET %k v XX PX %D; SETEX %k %d v; PSETEX %k %D v; SETNX %k v; GET %k; GETEX %k EX %d;
GETEX %k PXAT %A; GETEX %k PERSIST; GETDEL %k; GETSET %k 3; APPEND %k x; INCR %k; EXPIRE %j %d; EXPIRE %j %d NX;
EXPIRE %j %d XX; EXPIRE %j %d GT; EXPIRE %j -1; PEXPIRE %j %D; EXPIREAT %j %a; PEXPIREAT %j %A; PERSIST %j;
PTTL %j; PEXPIRETIME %j; EXISTS %j %j; DEL %j; UNLINK %j %j; RENAME %k %k; TYPE %j; KEYS *; KEYS a*; DBSIZE;
SCAN 0 COUNT 1000; HSET h f v; HGETALL h; HDEL h f; RPUSH l v; LPOP l; LRANGE l 0 -1; SADD s m; SREM s m;
ZADD z 1 m; ZRANGE z 0 -1; ZREM z m; MSET %k v %k w; MGET %k %k; TIME; FLUSHDB`, ";")

// scripts are what EVAL is called with, with a key and a number of seconds.
var scripts = []string{
	"local t = redis.call('TIME') return {t[1], t[2], redis.call('GET', KEYS[1])}",
	"redis.call('SET', KEYS[1], '1', 'EX', ARGV[1]) return redis.call('PTTL', KEYS[1])",
	"if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('SET', KEYS[1], '0', 'PX', ARGV[1] .. '000') end " +
		"return {redis.call('TYPE', KEYS[1]).ok, redis.call('PTTL', KEYS[1])}",
	"return redis.call('EXPIREAT', KEYS[1], tonumber(redis.call('TIME')[1]) + ARGV[1])",
}

// draw draws a command. miniredis counts a TTL in whole seconds and ms from now.
func draw(t *rapid.T, now time.Time) (args []any) {
	word := func(w string) any {
		if !strings.HasPrefix(w, "%") {
			return w
		}
		keys := []string{"a", "ab", "b", "h", "l", "s", "z"}
		switch w {
		case "%k":
			return rapid.SampledFrom(keys[:3]).Draw(t, "key")
		case "%j":
			return rapid.SampledFrom(keys).Draw(t, "key")
		}
		n := rapid.Int64Range(1, 9).Draw(t, "seconds")
		return map[string]int64{"%d": n, "%D": n * 1000, "%a": now.Unix() + n, "%A": now.UnixMilli() + 1000*n}[w]
	}
	if rapid.IntRange(0, 5).Draw(t, "script") == 0 {
		return []any{"EVAL", rapid.SampledFrom(scripts).Draw(t, "source"), "1", word("%k"), word("%d")}
	}
	for w := range strings.FieldsSeq(rapid.SampledFrom(forms).Draw(t, "form")) {
		args = append(args, word(w))
	}
	return args
}

// replies are those of the commands, one by one, or in a pipeline or transaction.
func replies(ctx context.Context, c *goredis.Client, how string, commands [][]any) (all []string) {
	do := map[string]func(context.Context, func(goredis.Pipeliner) error) ([]goredis.Cmder, error){
		"pipeline": c.Pipelined, "transaction": c.TxPipelined,
		"singly": func(ctx context.Context, fn func(goredis.Pipeliner) error) (cmds []goredis.Cmder, err error) {
			for _, args := range commands {
				cmds = append(cmds, c.Do(ctx, args...))
			}
			return cmds, nil
		},
	}[how]
	cmds, _ := do(ctx, func(p goredis.Pipeliner) error {
		for _, args := range commands {
			p.Do(ctx, args...)
		}
		return nil
	})
	for _, cmd := range cmds {
		value, err := cmd.(*goredis.Cmd).Result()
		if list, ok := value.([]any); ok && slices.Contains([]string{"KEYS", "HGETALL"}, fmt.Sprint(cmd.Args()[0])) {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		} else if ok && cmd.Args()[0] == "SCAN" {
			keys := list[1].([]any)
			slices.SortFunc(keys, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		switch {
		case errors.Is(err, goredis.Nil):
			all = append(all, "nil")
		case err != nil:
			all = append(all, "error")
		default:
			all = append(all, fmt.Sprintf("%q", fmt.Sprint(value)))
		}
	}
	return all
}

// A real server under the clock answers as one does whose time passes: miniredis, whose TTLs are counted down.
func TestAServerUnderTheClockAnswersAsOneWhoseTimePasses(t *testing.T) {
	server := redistest.Private(t)
	client, clock := steered(t, server)
	rapid.Check(t, func(rt *rapid.T) {
		other := miniredis.RunT(t)
		defer other.Close()
		reference := goredis.NewClient(&goredis.Options{Addr: other.Addr(), Protocol: 2})
		defer reference.Close()
		clock.Set(midnight)
		client.FlushDB(t.Context())
		other.SetTime(clock.Now())
		var story []string
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			var commands [][]any
			for range rapid.IntRange(1, 4).Draw(rt, "commands") {
				commands = append(commands, draw(rt, clock.Now()))
			}
			how := rapid.SampledFrom([]string{"singly", "pipeline", "transaction"}).Draw(rt, "how")
			story = append(story, fmt.Sprint(clock.Now().UnixMilli(), how, commands))
			want := replies(t.Context(), reference, how, commands)
			if got := replies(t.Context(), client, how, commands); !slices.Equal(got, want) {
				rt.Fatalf("%s\n%v, want\n%v", strings.Join(story, "\n"), got, want)
			}
			// a millisecond more: miniredis' keys die one early
			wait := time.Duration(rapid.IntRange(0, 9).Draw(rt, "wait"))*time.Second + time.Millisecond
			clock.Advance(wait)
			other.SetTime(clock.Now())
			other.FastForward(wait)
		}
	})
}
