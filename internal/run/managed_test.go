package run_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
)

// The script, whose buckets are deleted and configured on a server, answers as the model does, which throws itself
// away. So it is with keys that nobody asks for while there is no bucket, or before there is one again.
func TestManagedBucketsComeAndGoAsInTheModel(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		server := engine.On(t.Context(), s, load.Wall)
		defer server.Close()
		plan := &Plan{Scenario: &scenario.Scenario{Start: scenario.DefaultStart}}
		none := 0
		for seed := range uint64(20) {
			random := rand.New(rand.NewPCG(seed, 0))
			var steps []limit.ManagedStep
			for at := int64(0); at < 4_000_000; at += random.Int64N(900_000) + 1 {
				steps = append(steps, limit.ManagedStep{AtUS: at, Deletes: random.IntN(2) == 0})
			}
			e := tokenBucket(t)
			e = e.Managed(steps, scenario.DefaultStart)
			model := e.NewModel()
			e.Program = e.Program.InKeyspace(fmt.Sprint("seed", seed, ":"))
			v, err := server.Open(t.Context(), plan, e)
			if err != nil {
				t.Fatal(err)
			}
			requests, got := make([]limit.Request, 300), make([]limit.Decision, 300)
			for i := range requests {
				requests[i] = limit.Request{AtUS: int64(i) * 15_000, Cost: 1 + random.Int64N(2),
					Key: []string{"a", "a", "a", "b", "c"}[random.IntN(5)]}
			}
			if err := v.Decide(t.Context(), requests, got); err != nil {
				t.Fatal(err)
			}
			for i, q := range requests {
				want := limit.Ask(model, scenario.DefaultStart.UnixMicro(), &q)
				if got[i] != want {
					t.Fatalf("seed %d, request %d, %+v, steps %v: %+v; the model %+v", seed, i, q, steps, got[i], want)
				}
				if want.Verdict == limit.NotConfigured {
					none++
				}
			}
			if err := server.Clean(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if none < 1000 {
			t.Errorf("only %d of 6,000 requests found no bucket", none)
		}
	})
}

func tokenBucket(t *testing.T) *limiter.Limiter {
	t.Helper()
	choice, err := algorithms.Choose("token-bucket", nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := limiter.OfAlgorithm(choice, limit.Policy{Requests: 5, Window: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return e
}
