package load_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/script"
)

// counting admits the first three requests of a key.
const counting = `if redis.call('INCR', KEYS[1]) <= tonumber(ARGV[3]) then return {1, tonumber(ARGV[1]), 0, 0} end return {0, tonumber(ARGV[1]), 0, 0}`

// program takes the caller's clock, the cost and the limit.
func program(source, most string) *script.Program {
	return &script.Program{Label: "mine", Source: source, Decode: script.Contract,
		Decide: script.Call{Keys: []script.Template{script.KeyIn("mine:")}, Args: []script.Template{script.NowUS(1), script.Cost(), script.Literal(most)}}}
}

// prepared is a program on a private server, with connections.
func prepared(t testing.TB, p *script.Program, connections int, o load.TargetOptions) (*redisserver.Server, *load.Target, []load.Caller) {
	t.Helper()
	s := redisservertest.Private(t)
	o.Prefix = s.Prefix
	if o.Clock.Now == nil {
		o.Clock = load.NewClock(time.Now())
	}
	target, err := load.Prepare(t.Context(), s.Client, p, o)
	if err != nil {
		t.Fatal(err)
	}
	callers, err := target.Connect(t.Context(), connections)
	if err != nil {
		t.Fatal(err)
	}
	return s, target, callers
}

// every gives n requests for key, one every gap.
func every(gap time.Duration, n int, key string) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range n {
			if !yield(limit.Request{AtUS: int64(i) * gap.Microseconds(), Key: key, Cost: 1}, nil) {
				return
			}
		}
	}
}

func TestOpenLoopOnAServer(t *testing.T) {
	clock := load.NewClock(time.Now())
	s, target, callers := prepared(t, program(counting, "3"), 4, load.TargetOptions{Clock: clock})
	r, err := load.Open(t.Context(), every(time.Millisecond, 200, "k"), callers, load.OpenOptions{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if r.Offered != 200 || r.Sent != 200 || r.Accepted != 3 || r.Rejected != 197 {
		t.Errorf("%+v", r)
	}
	d := r.Overall()
	t.Log(d.Lag.ValueAtQuantile(50), d.Lag.ValueAtQuantile(99), d.Wait.ValueAtQuantile(50), d.Service.ValueAtQuantile(50), d.Response.ValueAtQuantile(99), r.BytesWritten, r.BytesRead, r.Health, r.Reasons())
	if err := target.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys left", n)
	}
	_ = redisserver.KindProcess
}
