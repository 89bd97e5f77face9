package virtualtime_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
	"ratelab/lua"
)

// limiter is a script, built-in or from testdata. Its arguments admit every request, so that both sides of a comparison
// do the same work. The time is the server's.
type limiter struct {
	name   string
	source func(name string) (string, error)
	decode func(resp.Value) (limit.Decision, error)
	args   []string
}

var limiters = []limiter{
	{"fixed-window", lua.Source, script.Contract, []string{"", "1", "1000000000", "3000"}},
	// the rate of 1000 per 3 s, with a bucket that never empties during the run
	{"gcra", lua.Source, script.Contract, []string{"", "1", "1000000000000", "3000", "1"}},
	{"emission-interval", fromTestdata, admitted, []string{"1000000000", "1000", "3", "1"}},
}

func fromTestdata(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join("testdata", name+".lua"))
	return string(text), err
}

// admitted decodes a reply whose first element is the number of admitted tokens.
func admitted(r resp.Value) (limit.Decision, error) {
	if len(r.Items) == 0 || r.Items[0].Int == 0 {
		return limit.Decision{}, nil
	}
	return limit.Decision{Verdict: limit.Allowed}, nil
}

func (l limiter) program(b *testing.B) *script.Program {
	source, err := l.source(l.name)
	if err != nil {
		b.Fatal(err)
	}
	var args []script.Template
	for _, text := range l.args {
		args = append(args, script.Literal(text))
	}
	return &script.Program{Label: l.name, Source: source, Decode: l.decode,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("bench:")}, Args: args}}
}

// virtual decides n requests in virtual time, 3 ms apart, and returns the real time that this took.
func virtual(b *testing.B, s *redis.Server, l limiter, n int) time.Duration {
	began := time.Now()
	options := virtualtime.Options{Start: time.UnixMicro(midnight), Real: began,
		Elapsed: func() time.Duration { return time.Since(began) }}
	r, err := virtualtime.New(virtualtime.Connection{Client: s, Embedded: s.Kind == redis.KindEmbedded},
		l.program(b), options)
	if err != nil {
		b.Fatal(err)
	}
	const chunk = 32768
	requests, decisions := make([]limit.Request, chunk), make([]limit.Decision, chunk)
	atUS := int64(0)
	for left := n; left > 0; left -= chunk {
		m := min(left, chunk)
		for i := range m {
			atUS += 3000
			requests[i] = at(atUS, "k")
		}
		if err := r.Decide(b.Context(), requests[:m], decisions[:m]); err != nil {
			b.Fatal(err)
		}
		if !decisions[0].Allowed() || !decisions[m-1].Allowed() {
			b.Fatal("a request was rejected, so the two sides do not do the same work")
		}
	}
	took := time.Since(began)
	if err := r.Close(context.WithoutCancel(b.Context())); err != nil {
		b.Fatal(err)
	}
	return took
}

var perSecond = regexp.MustCompile(`([0-9.]+) requests per second`)

// stock lets redis-benchmark call the script n times, as fast as possible. It returns the time for n calls at the
// printed rate.
func stock(b *testing.B, s *redis.Server, l limiter, n int) time.Duration {
	sha1, err := s.Client.ScriptLoad(b.Context(), l.program(b).Source).Result()
	if err != nil {
		b.Fatal(err)
	}
	socket := redistest.Socket(b, s)
	args := []string{"-s", socket, "-P", "32", "-c", "50", "-n", strconv.Itoa(n), "-q", "EVALSHA", sha1, "1",
		"bench:{k}"}
	out, err := exec.CommandContext(b.Context(), "redis-benchmark", append(args, l.args...)...).CombinedOutput()
	rates := perSecond.FindAllSubmatch(bytes.ReplaceAll(out, []byte("\r"), []byte("\n")), -1)
	if err != nil || len(rates) == 0 {
		b.Fatalf("redis-benchmark: %v\n%s", err, out)
	}
	rate, err := strconv.ParseFloat(string(rates[len(rates)-1][1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(float64(n) / rate * float64(time.Second))
}

// single sends n EVALSHAs, one after the other, as a client does, and returns the time that this took.
func single(b *testing.B, s *redis.Server, l limiter, n int) time.Duration {
	sha1, err := s.Client.ScriptLoad(b.Context(), l.program(b).Source).Result()
	if err != nil {
		b.Fatal(err)
	}
	args := make([]any, len(l.args))
	for i, text := range l.args {
		args[i] = text
	}
	began := time.Now()
	for range n {
		if err := s.Client.EvalSha(b.Context(), sha1, []string{"bench:{k}"}, args...).Err(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began)
}

// compare measures both sides in turns. So other work of the machine affects both sides.
func compare(b *testing.B, rounds, nVirtual, nOther int, virtual, other func(n int) time.Duration) {
	var ours, theirs time.Duration
	virtual(nVirtual / 10) // warm
	n := 0
	for b.Loop() {
		for range rounds {
			ours += virtual(nVirtual)
			theirs += other(nOther)
		}
		n += rounds
	}
	rate := func(each int, took time.Duration) float64 { return float64(n*each) / took.Seconds() }
	b.ReportMetric(rate(nVirtual, ours), "decisions/s")
	b.ReportMetric(rate(nOther, theirs), "other/s")
	b.ReportMetric(rate(nVirtual, ours)/rate(nOther, theirs), "ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAgainstRedisBenchmark compares batched virtual time on a real server ("decisions/s") with
// redis-benchmark -P 32 -c 50 on the same server, script and arguments ("other/s").
func BenchmarkAgainstRedisBenchmark(b *testing.B) {
	if _, err := exec.LookPath("redis-benchmark"); err != nil {
		b.Skipf("redis-benchmark is not on PATH: %v", err)
	}
	for _, l := range limiters {
		b.Run(l.name, func(b *testing.B) {
			s := redistest.Private(b)
			compare(b, 4, 400_000, 400_000,
				func(n int) time.Duration { return virtual(b, s, l, n) },
				func(n int) time.Duration { return stock(b, s, l, n) })
		})
	}
}

// BenchmarkAgainstSingle compares batched virtual time on the embedded server ("decisions/s") with one EVALSHA
// per decision there ("other/s").
func BenchmarkAgainstSingle(b *testing.B) {
	for _, l := range limiters {
		b.Run(l.name, func(b *testing.B) {
			s := redistest.Embedded(b)
			compare(b, 2, 100_000, 5_000,
				func(n int) time.Duration { return virtual(b, s, l, n) },
				func(n int) time.Duration { return single(b, s, l, n) })
		})
	}
}
