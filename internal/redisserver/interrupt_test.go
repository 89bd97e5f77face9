package redisserver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/registry"
)

// The server has the run's entry, and its answer is still under way, when the start is interrupted.
func TestAnInterruptedStartLeavesNoEntry(t *testing.T) {
	t.Parallel() // it waits for two seconds
	host := redisservertest.Private(t)
	far := redisservertest.Far(t, host, 100*time.Millisecond)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		for host.Client.ZCard(t.Context(), registry.Index).Val() == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		interrupt()
	}()
	if _, err := redisserver.Start(ctx, far); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v; want an interruption", err)
	}
	if keys := host.Client.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("left: %s", keys)
	}
}
