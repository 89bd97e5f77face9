package virtualtime_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
	"ratelab/internal/virtualtime"
)

// If a client deletes a key of a run, the run ends: at the next batch that uses the key, or at the end of the run.
func TestALostKeyEndsTheRun(t *testing.T) {
	counter := "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], 60000) end return n"
	endless := "return redis.call('INCR', KEYS[1])"
	for _, c := range []struct {
		name, source string
		next         string   // the key of the request after the loss; "": none
		command      []string // deletes or moves the key
		named        string   // part of the error
	}{
		{"touched again", counter, "k", []string{"DEL", "k"}, `the run's key "k" vanished`},
		{"not touched again", counter, "other", []string{"DEL", "k"}, `"k"`},
		{"after the last request", counter, "", []string{"DEL", "k"}, `"k"`},
		{"without a deadline", endless, "k", []string{"UNLINK", "k"}, `"k"`},
		{"renamed", endless, "", []string{"RENAME", "k", "away"}, `"k"`},
		{"all, with only new ones to come", counter, "new", []string{"FLUSHALL"}, "2 keys of the run"},
		{"all, after the last request", counter, "", []string{"FLUSHALL"}, "2 keys of the run"},
	} {
		onBoth(t, func(t *testing.T, s *redis.Server) {
			r, err := newRunner(t, s, setup{source: c.source, batch: 2}, func(resp.Value) {})
			if err != nil {
				t.Fatal(err)
			}
			decide := func(requests ...limit.Request) error {
				return r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
			}
			if err := decide(at(0, "k"), at(1, "k"), at(2, "other")); err != nil {
				t.Fatal(err)
			}
			args := make([]any, len(c.command))
			for i, word := range c.command {
				args[i] = word
			}
			if err := s.Client.Do(t.Context(), args...).Err(); err != nil {
				t.Fatal(err)
			}
			if c.next != "" {
				err = decide(at(3, c.next))
			}
			if err == nil {
				_, err = r.Left(t.Context(), 3, false)
			}
			var lost *virtualtime.LostError
			if !errors.As(err, &lost) || !strings.Contains(err.Error(), c.named) {
				t.Errorf("%s: %v; want a LostError that says %s", c.name, err, c.named)
			}
			if err := r.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// If a client deletes a key after its virtual deadline, the run continues.
func TestADeadKeyIsNotMissed(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		r, err := newRunner(t, s, setup{source: "redis.call('SET', KEYS[1], 1, 'PX', 10) return 1"},
			func(resp.Value) {})
		if err != nil {
			t.Fatal(err)
		}
		for us, key := range map[int64]string{0: "k", 10_999: "j"} {
			if err := r.Decide(t.Context(), []limit.Request{at(us, key)}, make([]limit.Decision, 1)); err != nil {
				t.Fatal(err)
			}
		}
		s.Client.Del(t.Context(), "k")
		if left, err := r.Left(t.Context(), 11_000, false); err != nil || left.Keys != 1 {
			t.Errorf("%+v left, %v; want j alone", left, err)
		}
	})
}

// ways has commands with which a script makes, changes, moves, empties and deletes its keys A and B.
var ways = []string{
	`c('SET', A, 1)`, `c('SET', A, 1, 'PX', 40)`, `c('SET', B, 1, 'PX', 3)`, `c('SET', A, 1, 'PXAT', 1)`,
	`c('SET', A, 1, 'PXAT', now - 5)`,
	`c('SET', A, 1, 'KEEPTTL')`, `c('PSETEX', A, 9, 1)`, `c('GETDEL', A)`, `c('GETEX', A, 'PX', 7)`,
	`c('GETEX', A, 'PXAT', now - 1)`,
	`c('GETEX', A, 'PERSIST')`, `c('DEL', A)`, `c('UNLINK', A, B)`, `c('PEXPIRE', A, 5)`, `c('PEXPIRE', A, 80)`,
	`c('PEXPIRE', B, 0)`,
	`c('PEXPIREAT', A, now - 3)`, `c('PERSIST', A)`, `c('RENAME', A, B)`, `c('RENAMENX', B, A)`,
	`c('COPY', A, B, 'REPLACE')`,
	`c('RPUSH', B, 1) c('PEXPIRE', B, 30) c('LPOP', B)`, `c('SADD', B, 1) c('SREM', B, 1)`,
	`c('SADD', B, 1) c('SREM', B, 1)`,
	`c('HSET', B, 'f', 1) c('HDEL', B, 'f')`, `c('ZADD', B, 1, 'm') c('ZREMRANGEBYSCORE', B, 0, 9)`,
	`c('ZADD', B, 1, 'm') c('ZPOPMIN', B)`,
	`c('DEL', B) c('RPUSH', B, 1) c('LTRIM', B, 5, 9)`, `c('SINTERSTORE', A, B, A)`, `c('INCR', A)`,
	`c('EXISTS', A, B)`, `c('GET', B)`,
	`c('MSET', A, 1, B, 2)`, `c('RPUSH', B, 1) c('RPOPLPUSH', B, A)`, `c('SADD', B, 1) c('SMOVE', B, A, 1)`,
}

// A key that the script itself has deleted, emptied, moved or let expire is not reported as lost. This is tested with
// several sizes of batches, with sweeps during a pending round, and with steps of the clock.
func TestNoKeyIsMissedWhoseScriptIsToBlame(t *testing.T) {
	few := longtest.Of(3000, 300)
	onBoth(t, func(t *testing.T, s *redis.Server) {
		var source strings.Builder
		source.WriteString("local A, B = KEYS[1] .. ':a', KEYS[1] .. ':b' local c = redis.pcall local t = " +
			"redis.call('TIME') " +
			"local now = t[1] * 1000 + math.floor(t[2] / 1000) local ways = {")
		for _, way := range ways {
			if s.Kind == redis.KindEmbedded && refusedByEmbedded.MatchString(way) {
				way = ways[0]
			}
			source.WriteString("function() " + way + " end, ")
		}
		source.WriteString("} ways[tonumber(ARGV[1])]() return 1")
		for _, c := range []struct{ batch, keys, requests int }{{1, 3, longtest.Of(300, 100)}, {7, 5, few},
			{500, 5, few}, {64, 4000, longtest.Of(12_000, 1500)}} {
			for _, given := range []bool{false, true} {
				seed := rand.Uint64()
				random := rand.New(rand.NewPCG(seed, 0))
				it := setup{source: source.String(), args: []string{"{cost}"}, batch: c.batch, given: given}
				r, err := newRunner(t, s, it, func(resp.Value) {})
				if err != nil {
					t.Fatal(err)
				}
				requests := make([]limit.Request, c.requests)
				us, skew := int64(0), int64(0)
				for i := range requests {
					us += random.Int64N(3000)
					if random.IntN(500) == 0 {
						skew = -min(us, random.Int64N(60_000))
					}
					requests[i] = limit.Request{AtUS: us, ServerSkewUS: skew, Key: fmt.Sprint("k", random.IntN(c.keys)),
						Cost: int64(1 + random.IntN(len(ways)))}
				}
				err = r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
				var left virtualtime.Left
				if err == nil {
					left, err = r.Left(t.Context(), us, false)
				}
				there := s.Client.DBSize(t.Context()).Val()
				if err != nil || left.Keys != there {
					t.Errorf("%+v, given %v, seed %d: %v; %d keys left of %d", c, given, seed, err, left.Keys, there)
				}
				if err := r.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
					t.Fatalf("%d keys are there after Close", n)
				}
			}
		}
	})
}
