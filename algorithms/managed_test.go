package algorithms

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ratelab/algorithms/algotest"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// The life of a managed bucket: its four answers, the fourth of which is a server that does not answer.
func TestTheLifeOfAManagedBucket(t *testing.T) {
	allow := func(remaining, resetUS int64) limit.Decision {
		return limit.Decision{Verdict: limit.Allowed, Remaining: remaining, ResetAfterUS: resetUS}
	}
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for i, step := range []struct {
			atUS int64
			args string
			want limit.Decision
		}{
			{0, "1 acquire app1", notConfigured}, // no such bucket
			{0, "0 init 3 1000000 1 app1 app2", allow(3, 0)},
			{0, "2 acquire app1", allow(1, 2_000_000)},
			// the bucket is shared
			{0, "2 acquire app2", limit.Decision{Remaining: 1, RetryAfterUS: 1_000_000, ResetAfterUS: 2_000_000}},
			{0, "1 acquire app10", notConfigured}, // app1 is compared whole
			{0, "1 acquire app", notConfigured},
			// the same, in another order: nothing changes
			{0, "0 init 3 1000000 1 app2 app1", allow(1, 2_000_000)},
			{0, "0 init 4 1000000 1 app1 app2", allow(4, 0)}, // another capacity: full
			{0, "4 acquire app1", allow(0, 4_000_000)},
			{0, "0 init 4 1000000 1 app1", allow(4, 0)}, // another list
			{0, "1 acquire app2", notConfigured},
			{0, "5 acquire app1", limit.Decision{Remaining: 4, RetryAfterUS: limit.Never}},
			{0, "0 init 4 1000000 1", allow(4, 0)}, // everyone
			{0, "1 acquire whoever", allow(3, 1_000_000)},
			{500_000, "0 init 4 1000000 1 *", allow(3, 500_000)}, // which * says too
			{500_000, "0 delete", allow(0, 0)},
			{500_000, "1 acquire whoever", notConfigured},
			{500_000, "0 delete", notConfigured},
			{500_000, "0 init 4 1000000 1 app1", allow(4, 0)}, // the old level is gone too
		} {
			args := append([]string{strconv.FormatInt(algotest.StartUS+step.atUS, 10)}, strings.Fields(step.args)...)
			d, err := eval(t, s, "token-bucket", "life", args...)
			if err != nil || d != step.want {
				t.Fatalf("step %d, %s: %+v, %v; want %+v", i, step.args, d, err, step.want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if d, err := eval(t, s, "token-bucket", "life", "", "1", "acquire", "app1"); err == nil {
			t.Fatalf("the server is gone, and answers %+v", d)
		}
	})
}

// Random operations, clock steps back among them, come out of the script as they come out of the model.
func TestManagedBucketsDecideAsTheirModel(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for seed := range uint64(20) {
			random, model := rand.New(rand.NewPCG(seed, 0)), new(whole)
			key, at := fmt.Sprintf("managed-%d", seed), algotest.StartUS
			for step := range 60 {
				at += random.Int64N(4_000_000) - 500_000
				now := strconv.FormatInt(at, 10)
				args, want := operation(random, model, at)
				if got, err := eval(t, s, "token-bucket", key, append([]string{now}, args...)...); err != nil ||
					got != want {
					t.Fatalf("seed %d, step %d, at %s, %v: %+v, %v; the model %+v", seed, step, now, args, got, err,
						want)
				}
			}
		}
	})
}

// operation draws one, as ARGV from the cost on, and what the model says to it.
func operation(random *rand.Rand, model *whole, at int64) ([]string, limit.Decision) {
	names := []string{"app", "app1", "app10", "*"}
	switch random.IntN(12) {
	case 0:
		return []string{"1", "delete"}, model.remove()
	case 1, 2:
		c := bucket{1 + random.Int64N(3), 1_000_000 + random.Int64N(2), 1 + random.Int64N(3)}
		list := names[:random.IntN(3)]
		args := append([]string{"1", "init"}, decimal(c.capacity, c.w, c.l)...)
		return append(args, list...), model.init(at, c, list)
	}
	cost, name := 1+random.Int64N(4), names[random.IntN(len(names))]
	return []string{strconv.FormatInt(cost, 10), "acquire", name}, model.acquire(at, cost, name)
}

// notConfigured is the answer where there is no bucket, or the application is not on its list.
var notConfigured = limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}

// whole is the model of a bucket from its configuration on: names are those of the applications that may use it, or *.
type whole struct {
	managed
	names map[string]bool
}

// init configures the bucket. The same configuration again changes nothing; another one fills the bucket.
func (l *whole) init(nowUS int64, c bucket, names []string) limit.Decision {
	list := map[string]bool{}
	for _, name := range names {
		list[name] = true
	}
	if len(names) == 0 {
		list["*"] = true
	}
	if !maps.Equal(l.names, list) {
		*l = whole{names: list}
	}
	at := &moment{nowUS: nowUS, clock: clock{client: true}}
	l.configure(c, at)
	d := l.managed.acquire(at, 0)
	d.Verdict = limit.Allowed
	return d
}

// acquire takes cost permits for an application.
func (l *whole) acquire(nowUS, cost int64, name string) limit.Decision {
	if !l.names[name] && !l.names["*"] {
		return notConfigured
	}
	return l.managed.acquire(&moment{nowUS: nowUS, clock: clock{client: true}}, cost)
}

// remove deletes the bucket, configuration and all.
func (l *whole) remove() limit.Decision {
	if l.names == nil {
		return notConfigured
	}
	*l = whole{}
	return limit.Decision{Verdict: limit.Allowed}
}
