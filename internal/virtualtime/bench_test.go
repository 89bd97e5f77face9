package virtualtime

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/script"
)

const fw = `local limit = tonumber(ARGV[3])
local cost = tonumber(ARGV[2])
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count + cost > limit then
  return {0, limit - count, (redis.call('PTTL', KEYS[1]) + 1) * 1000, 0}
end
count = redis.call('INCRBY', KEYS[1], ARGV[2])
if count == cost then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return {1, limit - count, 0, 0}
`
const gcra = `local limit = tonumber(ARGV[3])
local cost = tonumber(ARGV[2])
local now
if ARGV[1] == '' then
local t = redis.call('TIME')
now = t[1] * 1000000 + t[2]
else now = tonumber(ARGV[1]) end
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
local T = 3000
if tat < now then tat = now end
local new = tat + cost * T
if new - now > 3000000 then return {0, 0, new - now - 3000000, tat - now} end
redis.call('SET', KEYS[1], string.format('%.0f', new), 'PX', math.ceil((new - now) / 1000))
return {1, 0, 0, new - now}
`

func bench(b *testing.B, c *redis.Client, src string, single bool) {
	p := &script.Program{Label: "x", Source: src, Decode: script.Contract,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("fw:")}, Args: []script.Template{script.Literal(""), script.Cost(), script.Literal("1000000000"), script.Literal("3000")}}}
	began := time.Now()
	r, err := New(Server{Client: c, Unbuffered: single}, p, Options{Start: time.UnixMicro(1704067200000000), Real: time.Now(), Elapsed: func() time.Duration { return time.Since(began) }})
	if err != nil {
		b.Fatal(err)
	}
	reqs := make([]limit.Request, 32768)
	dec := make([]limit.Decision, len(reqs))
	at := int64(0)
	b.ResetTimer()
	for n := 0; n < b.N; n += len(reqs) {
		m := min(len(reqs), b.N-n)
		for i := range m {
			at += 3000
			reqs[i] = limit.Request{AtUS: at, Key: "k0", Cost: 1}
		}
		if err := r.Decide(context.Background(), reqs[:m], dec[:m]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(float64(r.size), "batch")
}

func BenchmarkX(b *testing.B) {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: "/tmp/r.sock", Protocol: 2, MaxRetries: -1})
	m := miniredis.NewMiniRedis()
	if err := m.Start(); err != nil {
		b.Fatal(err)
	}
	m.SetTime(time.UnixMicro(1704067200000000))
	e := redis.NewClient(&redis.Options{Dialer: func(ctx context.Context, n, a string) (net.Conn, error) { return m.Dial() }, Protocol: 2, MaxRetries: -1})
	b.Run("redis/fw", func(b *testing.B) { bench(b, c, fw, false) })
	b.Run("redis/gcra", func(b *testing.B) { bench(b, c, gcra, false) })
	b.Run("mini/fw", func(b *testing.B) { bench(b, e, fw, true) })
	b.Run("mini/gcra", func(b *testing.B) { bench(b, e, gcra, true) })
}
