package run_test

import (
	"testing"
	"time"

	"ratelab/internal/redis/redistest"
)

// evalsha runs a scenario of five minutes on a server that is so far away, and counts its batches there.
func evalsha(t *testing.T, delay time.Duration) int64 {
	t.Helper()
	host := redistest.Private(t)
	j := job(builtinScenarios(t, "poisson")...)
	j.Algorithms = choices(t, "gcra")
	j.Server = redistest.Far(t, host, delay)
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	stats, err := host.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return stats.EvalCalls
}

// The way to a server is not time for which the server is blocked.
func TestAFarServerIsSentNoSmallerBatches(t *testing.T) {
	near := evalsha(t, 0)
	if far := evalsha(t, 20*time.Millisecond); near < 5 || far > 2*near {
		t.Errorf("%d EVALSHA without a delay, %d with 20 ms; want some, and at most twice as many", near, far)
	}
}
