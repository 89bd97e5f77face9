package lua_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// Each block is so many calls on one connection, one after the other, as Limiter.Allow makes them.
const callsPerBlock = 1000

// costPairs is the number of ABBA pairs: each candidate has two blocks of each mix in a pair, one on the way there and
// one on the way back.
const costPairs = 20

// BenchmarkCost prints what one decision costs the server: µs of cmdstat_evalsha per call, the median over blocks that
// alternate ABBA between every script, the library redis_rate v10, the empty script none, and two-calls, which is
// what one INCR and one TTL can cost. For three mixes: all accepted, all rejected, and half of each.
//
//	go test -run '^$' -bench Cost -benchtime 1x ./lua
//
// It runs on a private server, and on a container of each image that RATELAB_TEST_IMAGES names. The limit is that of
// RATELAB_LIMIT, or 100000/1h: one key is busy with it, and does not recover within a block. RATELAB_PAIRS is the
// number of pairs. Only ratios within one run mean anything on a machine that does other things beside it.
//
// Note: an admission by the server's time takes TIME, a read and a write. A script of these three calls that decides
// nothing, with the same arguments and reply, took 0.45 to 0.55 of redis_rate on 7.0: half of it is out of reach. Where
// a permit comes back less than once a second, gcra and its like write the expiry each time, and save little.
func BenchmarkCost(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a minute; leave out -short")
	}
	b.Run("process", func(b *testing.B) { costs(b, redistest.Private(b)) })
	for _, image := range redistest.Images() {
		b.Run("container="+image, func(b *testing.B) { costs(b, redistest.Container(b, image)) })
	}
}

// A mix is which of a block's requests are rejected: those on a key whose bucket was emptied before.
var mixes = []struct {
	name     string
	rejected func(i int) bool
}{
	{"accepted", func(int) bool { return false }},
	{"rejected", func(int) bool { return true }},
	{"half", func(i int) bool { return i%2 == 1 }},
}

func costs(b *testing.B, s *redis.Server) {
	p := costLimit(b)
	all := contenders(b, s, p)
	for _, mix := range mixes {
		us := make([][]float64, len(all))
		for pair := range setting(b, "RATELAB_PAIRS", costPairs) {
			for step := range 2 * len(all) {
				i := min(step, 2*len(all)-1-step) // there and back
				us[i] = append(us[i], block(b, s, all[i], fmt.Sprintf("%s%d:%d", mix.name, pair, step), mix.rejected))
			}
		}
		medians := map[string]float64{}
		for i, c := range all {
			medians[c.name] = median(us[i])
		}
		for _, c := range all {
			b.Run(mix.name+"/"+c.name, func(b *testing.B) {
				b.ReportMetric(0, "ns/op") // of doing nothing: everything was measured before
				b.ReportMetric(medians[c.name], "us/decision")
				b.ReportMetric(medians[c.name]/medians["redis_rate"], "x-redis_rate")
				b.ReportMetric(medians[c.name]/medians["two-calls"], "x-two-calls")
				b.ReportMetric(medians[c.name]/medians["none"], "x-none")
			})
		}
	}
}

// block makes the calls of one block, on keys of its own, and gives the server's µs per call.
func block(b *testing.B, s *redis.Server, c contender, name string, rejected func(i int) bool) float64 {
	ctx := b.Context()
	open, shut := s.Prefix+"{"+name+"}open", s.Prefix+"{"+name+"}shut"
	must(b, c.prepare(ctx, open, false))
	must(b, c.prepare(ctx, shut, true))
	must(b, s.Client.ConfigResetStat(ctx).Err())
	admitted, want := 0, 0
	for i := range callsPerBlock {
		key := open
		if rejected(i) {
			key = shut
		} else {
			want++
		}
		allowed, err := c.allow(ctx, key)
		must(b, err)
		if allowed {
			admitted++
		}
	}
	usec, calls := evalshaStats(b, s)
	if calls != callsPerBlock || admitted < want || admitted > want+callsPerBlock/10 && c.name != "none" {
		b.Fatalf("%s, %s: %d calls, %d admitted; want %d and about %d", c.name, name, calls, admitted, callsPerBlock,
			want)
	}
	must(b, s.Client.FlushAll(ctx).Err())
	return float64(usec) / float64(calls)
}

// evalshaStats is the server's own account of EVALSHA since the last CONFIG RESETSTAT.
func evalshaStats(b *testing.B, s *redis.Server) (usec, calls int64) {
	stats := s.Client.InfoMap(b.Context(), "commandstats")
	must(b, stats.Err())
	line := stats.Item("Commandstats", "cmdstat_evalsha")
	if _, err := fmt.Sscanf(line, "calls=%d,usec=%d,", &calls, &usec); err != nil {
		b.Fatalf("INFO commandstats says %q of evalsha: %v", line, err)
	}
	return usec, calls
}

// A contender is something whose decisions are one EVALSHA each.
type contender struct {
	name    string
	prepare func(ctx context.Context, key string, empty bool) error // configures the key, and empties its bucket
	allow   func(ctx context.Context, key string) (bool, error)
}

func contenders(b *testing.B, s *redis.Server, p limit.Policy) []contender {
	all := []contender{library(s.Client, p), twoCalls(b, s.Client, p)}
	for _, name := range algorithms.Names() {
		all = append(all, script(b, s.Client, name, p))
		if name == "gcra" {
			all = append(all, script(b, s.Client, "gcra:time=client", p))
		}
	}
	return all
}

// script is a built-in algorithm, called under the Lua contract.
func script(b *testing.B, client goredis.Cmdable, label string, p limit.Policy) contender {
	choice, err := algorithms.Parse(label)
	must(b, err)
	in, err := choice.Under(p)
	must(b, err)
	return evalsha(b, client, label, in.Algorithm.Script(), in, p.Capacity())
}

// evalsha is a contender that calls source with the instance's arguments.
func evalsha(b *testing.B, client goredis.Cmdable, name, source string, in algorithms.Rule, burst int64) contender {
	sha, err := client.ScriptLoad(b.Context(), source).Result()
	must(b, err)
	call := func(ctx context.Context, key string, cost int64, args []string) ([]int64, error) {
		now := ""
		if in.ClientTime {
			now = clock()
		}
		argv := []any{now, strconv.FormatInt(cost, 10)}
		for _, a := range args {
			argv = append(argv, a)
		}
		return client.EvalSha(ctx, sha, []string{key}, argv...).Int64Slice()
	}
	return contender{
		name: name,
		prepare: func(ctx context.Context, key string, empty bool) error {
			if in.Init != nil {
				if _, err := call(ctx, key, 1, in.Init); err != nil {
					return err
				}
			}
			if !empty {
				return nil
			}
			_, err := call(ctx, key, burst, in.Args)
			return err
		},
		allow: func(ctx context.Context, key string) (bool, error) {
			reply, err := call(ctx, key, 1, in.Args)
			return err == nil && reply[0] == 1, err
		},
	}
}

func costLimit(b *testing.B) limit.Policy {
	text := os.Getenv("RATELAB_LIMIT")
	if text == "" {
		text = "100000/1h"
	}
	p, err := limit.ParsePolicy(text)
	must(b, err)
	return p
}

// setting is a number from the environment.
func setting(b *testing.B, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("%s=%q: want a whole number of at least 1", name, text)
	}
	return n
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
