package virtualtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
)

// hoarder is a script that leaves a hundred keys per request.
const hoarder = "for i = 1, 100 do redis.call('SET', KEYS[1] .. i .. math.random(1e9), 'x') end return 1"

// An interrupted run ends between two batches, even if a request takes a long time. Left and Close also end between two
// batches. The keys that Close has not deleted remain, and a second Close deletes them.
func TestAStoppedRunEndsBetweenTwoBatches(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		began := time.Now()
		ctx, interrupt := context.WithCancelCause(t.Context())
		r, err := newRunner(t, s, setup{source: hoarder, given: true,
			elapsed: func() time.Duration { return time.Since(began) }}, func(resp.Value) {})
		if err != nil {
			t.Fatal(err)
		}
		go func() { // as soon as there are more keys than Close deletes in one round trip
			for t.Context().Err() == nil && s.Client.DBSize(t.Context()).Val() < 2*32*500 {
			}
			interrupt(message.ErrInterrupted)
		}()
		requests := stream(100_000, 1000, oneKey)
		if err := r.Decide(ctx, requests, make([]limit.Decision, len(requests))); !errors.Is(err,
			message.ErrInterrupted) {
			t.Fatalf("%v; want an interrupt", err)
		}
		if _, err := r.Left(ctx, 1, false); !errors.Is(err, message.ErrInterrupted) {
			t.Errorf("%v; want an interrupt of Left", err)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		err = r.Close(over)
		if there := s.Client.DBSize(t.Context()).Val(); err == nil || there == 0 {
			t.Errorf("%v: %d keys are there", err, there)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if there := s.Client.DBSize(t.Context()).Val(); there > 0 || r.Unanswered() {
			t.Errorf("%d keys are there", there)
		}
	})
}
