package run_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/algorithms/algotest"
	"ratelab/algorithms/limitstest"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
)

// million is how many decisions a real server makes against the models.
const million = 1_000_000

// TestMillion lets a real server's Lua and the Go models decide the same million requests: every algorithm in turn,
// with random parameters under random limits, in batches of random size. Each answer must be the same in every
// field. RATELAB_SEED repeats a failure, or looks elsewhere.
func TestMillion(t *testing.T) {
	longtest.Skip(t, "decides a million requests twice")
	first := uint64(1_000_000)
	if text := os.Getenv("RATELAB_SEED"); text != "" {
		var err error
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("RATELAB_SEED=%q: want a whole number", text)
		}
	}
	s := redistest.Private(t)
	server := virtualtime.Connection{Client: s}
	names := algorithms.Names()
	began := time.Now()
	decided := 0
	for seed := first; decided < million; seed++ {
		r := rand.New(rand.NewPCG(seed, million))
		decided += against(t, server, seed, r, names[int(seed%uint64(len(names)))])
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left on the server", n)
	}
	t.Logf("%d decisions of %d algorithms on %s %s equal the models' (%.0f per second)",
		decided, len(names), s.Name, s.Version, float64(decided)/time.Since(began).Seconds())
}

// against decides one random trace twice, and gives its length.
func against(t *testing.T, server virtualtime.Connection, seed uint64, r *rand.Rand, name string) int {
	label, p := limitstest.Random(r, choices(t, name)[0].Algorithm)
	c, err := limiter.OfAlgorithm(choices(t, label)[0], p)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	requests, want := algotest.RandomRequests(r, p, c.NewModel())
	runner, err := virtualtime.New(server, c.Program, virtualtime.Options{
		Start: time.UnixMicro(algotest.StartUS), Real: time.UnixMilli(4e12), BatchSize: 1 + r.IntN(300)})
	if err != nil {
		t.Fatalf("seed %d, %s: %v", seed, label, err)
	}
	got := make([]limit.Decision, len(requests))
	if err := runner.Decide(t.Context(), requests, got); err != nil {
		t.Fatalf("seed %d, %s under %v: %v", seed, label, p, err)
	}
	for i, q := range requests {
		if got[i] != want[i] {
			t.Fatalf("seed %d, %s under %v, step %d, at %d us, key %s, cost %d:\nthe script: %s\nthe model:  %s",
				seed, label, p, i, q.AtUS, q.Key, q.Cost, algotest.Describe(got[i]), algotest.Describe(want[i]))
		}
	}
	if err := runner.Close(t.Context()); err != nil {
		t.Fatalf("seed %d, %s: %v", seed, label, err)
	}
	return len(requests)
}
