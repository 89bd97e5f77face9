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
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
)

// million is how many decisions a real server makes against the models.
const million = 1_000_000

// TestMillion lets a real server's Lua and the Go models decide the same requests, a million in make nightly: every
// algorithm in turn, with random parameters under random limits, in batches of random size. Each answer must be the
// same in every field. RATELAB_SEED repeats a failure, or looks elsewhere. With RATELAB_DECISIONS each algorithm
// decides so many on each server, in long histories too, on few keys and on many.
func TestMillion(t *testing.T) {
	longtest.Skip(t, "decides many requests twice")
	names := algorithms.Names()
	first, each := number(t, "RATELAB_SEED", million), number(t, "RATELAB_DECISIONS", 0)
	if each == 0 {
		on(t, redistest.Private(t), first, longtest.Nightly(million, million/5, 0)/len(names)+1, false)
		return
	}
	t.Run("process", func(t *testing.T) { on(t, redistest.Private(t), first, each, true) })
	for _, image := range redistest.Images() {
		t.Run("container="+image, func(t *testing.T) { on(t, redistest.Container(t, image), first, each, true) })
	}
}

// number is a variable of the environment, or otherwise.
func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q: want a whole number", name, text)
	}
	return n
}

// on has every algorithm decide at least so many requests on a server.
func on(t *testing.T, s *redis.Server, first, each int, long bool) {
	began, decided := time.Now(), 0
	names := algorithms.Names()
	for i, name := range names {
		for seed, n := first+i, 0; n < each; seed += len(names) {
			r := rand.New(rand.NewPCG(uint64(seed), million))
			steps, keys := algotest.RandomSteps, 2
			if long {
				steps, keys = []int{algotest.RandomSteps, 5_000, 50_000}[r.IntN(3)], []int{1, 2, 30, 3_000}[r.IntN(4)]
			}
			some := against(t, virtualtime.Connection{Client: s}, seed, r, name, steps, keys)
			n, decided = n+some, decided+some
		}
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left on the server", n)
	}
	t.Logf("%d decisions of %d algorithms on %s %s equal the models' (%.0f per second)",
		decided, len(names), s.Name, s.Version, float64(decided)/time.Since(began).Seconds())
}

// against decides one random trace twice, and gives its length.
func against(t *testing.T, server virtualtime.Connection, seed int, r *rand.Rand, name string, steps, keys int) int {
	label, p := limitstest.Random(r, choices(t, name)[0].Algorithm)
	c, err := limiter.OfAlgorithm(choices(t, label)[0], p)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	requests, want := algotest.RandomHistory(r, p, c.NewModel(), steps, keys)
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
