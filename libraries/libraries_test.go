package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/lua"
)

// openedOn is a library's row on a server that ends with the test.
func openedOn(t testing.TB, l *library, p limit.Policy) run.Script {
	t.Helper()
	redistest.Private(t) // or the test is skipped
	on, err := start(t.Context(), redis.KindProcess)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(on.Close)
	one, err := l.under(p)
	if err != nil {
		t.Fatal(err)
	}
	one.Parameters["name"] = l.name
	if find(l.name) == nil {
		libraries = append(libraries, l)
		t.Cleanup(func() { libraries = libraries[:len(libraries)-1] })
	}
	row, err := on.Open(t.Context(), &run.Plan{Scenario: &scenario.Scenario{Start: scenario.DefaultStart}}, one)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { on.Clean(context.Background(), nil) })
	return row
}

// arithmetic is redis_rate's, in doubles as in its script.
type arithmetic struct {
	limit.Policy
	tat map[string]float64
}

func (a *arithmetic) decide(q limit.Request) limit.Decision {
	const origin = 1_483_228_800
	interval := a.Window.Seconds() / float64(a.Requests)
	us := scenario.DefaultStart.UnixMicro() + q.AtUS
	now := float64(us/1_000_000-origin) + float64(us%1_000_000)/1_000_000
	next := math.Max(a.tat[q.Key], now) + interval*float64(q.Cost)
	spare := now - (next - interval*float64(a.Capacity()))
	if spare/interval < 0 {
		told, _ := strconv.ParseFloat(fmt.Sprintf("%.14g", -spare), 64)
		return answer(false, 0, time.Duration(told*float64(time.Second)))
	}
	if next > now {
		a.tat[q.Key] = next
	}
	return answer(true, int64(spare/interval), 0)
}

// redis_rate in virtual time decides as its arithmetic, to the last bit.
func TestRedisRateDecidesAsItsArithmetic(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 1000
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	admitted := 0
	for _, p := range []limit.Policy{{Requests: 10, Window: time.Second}, {Requests: 1000, Window: 3 * time.Second},
		{Requests: 7, Window: time.Minute, Burst: 3}, {Requests: 3, Window: 700 * time.Millisecond, Burst: 50},
		{Requests: 100, Window: time.Hour}} {
		row := openedOn(t, find("redis_rate"), p)
		model := arithmetic{p, map[string]float64{}}
		var all []limit.Request
		at := int64(0)
		mean := p.WindowUS() / p.Requests
		for range n {
			if random.IntN(500) == 0 {
				at += random.Int64N(2 * p.WindowUS())
			}
			at += random.Int64N(mean / 3)
			all = append(all, limit.Request{AtUS: at, Key: fmt.Sprint("k", random.IntN(3)), Cost: 1 + random.Int64N(3)})
		}
		got := make([]limit.Decision, n)
		if err := row.Decide(t.Context(), all, got); err != nil {
			t.Fatal(err)
		}
		for i, q := range all {
			if want := model.decide(q); got[i] != want {
				t.Fatalf("seed %d, %v, request %d, %+v: redis_rate decides %+v, its arithmetic %+v", seed, p, i, q,
					got[i],
					want)
			}
			if got[i].Allowed() {
				admitted++
			}
		}
	}
	if admitted < n || admitted > 4*n {
		t.Errorf("%d of %d are admitted: the traffic says little", admitted, 5*n)
	}
}

// Whatever a library does besides asking Redis by its clock is named.
func TestWhatCannotBeTrustedIsNamed(t *testing.T) {
	never := make(chan bool)
	patience = 300 * time.Millisecond
	defer func() { patience = 20 * time.Second }()
	for name, c := range map[string]struct {
		decide func(*goredis.Client) error
		want   string
	}{
		"panics": {func(*goredis.Client) error { panic("at the disco") }, "it panics: at the disco"},
		"retries": {func(*goredis.Client) error { time.Sleep(time.Second); return nil },
			"it takes 1s for a decision"},
		"hangs": {func(*goredis.Client) error { select {} }, "it does not answer: deadlock"},
		"waits": {func(*goredis.Client) error { <-never; return nil }, "it does not answer within 300ms"},
		"alone": {func(*goredis.Client) error { return nil }, "decides without Redis"},
		"watches": {func(c *goredis.Client) error {
			return c.Watch(context.Background(), func(*goredis.Tx) error { return nil }, "k")
		}, `virtual time does not know the command "watch"`},
		"hides": {func(c *goredis.Client) error {
			c.Wait(context.Background(), 0, 0)
			return nil
		}, `virtual time does not know the command "wait"`},
		"around": {func(*goredis.Client) error {
			c := goredis.NewClient(&goredis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
			return c.Incr(context.Background(), "k").Err()
		}, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			row := openedOn(t, &library{name: name, open: func(p *process) (decide, error) {
				client := p.client()
				return func(context.Context, string, int64) (limit.Decision, error) {
					return limit.Decision{Verdict: limit.Allowed}, c.decide(client)
				}, nil
			}}, limit.Policy{Requests: 1, Window: time.Second})
			err := row.Decide(t.Context(), make([]limit.Request, 1), make([]limit.Decision, 1))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The time of the process is that of the request as well.
func TestTheProcessHasAClock(t *testing.T) {
	var times []time.Time
	row := openedOn(t, &library{name: "watch", open: func(p *process) (decide, error) {
		client := p.client()
		return func(ctx context.Context, _ string, _ int64) (limit.Decision, error) {
			at, err := client.Time(ctx).Result()
			times = append(times, at, time.Now())
			return limit.Decision{}, err
		}, nil
	}}, limit.Policy{Requests: 1, Window: time.Second})
	err := row.Decide(t.Context(), []limit.Request{{AtUS: 1}, {AtUS: 3_600_000_000, ClientSkewUS: -5},
		{AtUS: 3_600_000_000, ServerSkewUS: -7}}, make([]limit.Decision, 3))
	var us []int64
	for _, at := range times {
		us = append(us, at.Sub(scenario.DefaultStart).Microseconds())
	}
	if got := fmt.Sprint(us, err); got != "[1 1 3600000000 3599999995 3599999993 3600000000] <nil>" {
		t.Errorf("Redis' clock and the process's stand at %s", got)
	}
}

// An adapter is short, and a file of its own.
func TestAdaptersAreShort(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	lines, adapters := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code, n := string(text), strings.Count(string(text), "\n")
		for i, line := range strings.Split(code, "\n") {
			if len(line) > 120 {
				t.Errorf("%s:%d has %d columns; at most 120", name, i+1, len(line))
			}
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		lines += n
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if field, is := n.(*ast.KeyValueExpr); is && fmt.Sprint(field.Key) == "open" {
				adapters++
				if n := set.Position(field.End()).Line - set.Position(field.Pos()).Line + 1; n > 25 {
					t.Errorf("%s has an adapter of %d lines; at most 25", name, n)
				}
			}
			return true
		})
	}
	if lines > 1095 {
		t.Errorf("%d lines; at most 1095", lines)
	}
	if adapters < 2 {
		t.Errorf("%d adapters", adapters)
	}
}

// What is asked for in vain is told, and nothing is written.
func TestUsage(t *testing.T) {
	for _, args := range []string{"nobody", "-limit x", "-nonsense", "-scenario nowhere"} {
		if code, err := do(t.Context(), strings.Fields(args), io.Discard, io.Discard); code == 0 || code == 1 {
			t.Errorf("%s: code %d, %v", args, code, err)
		}
	}
}

// BenchmarkRows compares libraries with a script of this module that a client calls in the same way.
func BenchmarkRows(b *testing.B) {
	text, err := lua.Source("gcra")
	if err != nil {
		b.Fatal(err)
	}
	ours := &library{name: "gcra", open: func(p *process) (decide, error) {
		client, script := p.client(), goredis.NewScript(text)
		return func(ctx context.Context, key string, cost int64) (limit.Decision, error) {
			got, err := script.Run(ctx, client, []string{key}, "", cost, 1000, 3_000_000, 1000).Int64Slice()
			return answer(err == nil && got[0] == 1, 0, 0), err
		}, nil
	}}
	for _, l := range append([]*library{ours}, libraries...) {
		b.Run(l.name, func(b *testing.B) {
			row := openedOn(b, l, limit.Policy{Requests: 1000, Window: 3 * time.Second})
			all := make([]limit.Request, b.N)
			for i := range all {
				all[i] = limit.Request{AtUS: int64(i) * 1000, Key: "k", Cost: 1}
			}
			b.ResetTimer()
			if err := row.Decide(b.Context(), all, make([]limit.Decision, b.N)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
