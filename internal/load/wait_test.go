package load

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestWaitNeverEndsEarly(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, 0, time.Microsecond, 200 * time.Microsecond, rest,
		rest + time.Millisecond} {
		began := time.Now()
		if err := Wait(context.Background(), d); err != nil {
			t.Fatalf("Wait(%v): %v", d, err)
		}
		if took := time.Since(began); took < d {
			t.Errorf("Wait(%v) took %v", d, took)
		}
	}
}

func TestWaitEndsWhenItsContextDoes(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	began := time.Now()
	if err := Wait(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait under a cancelled context: %v", err)
	}
	if err := Wait(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait(0) under a cancelled context: %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// How late a paced request leaves, beside Go's own timer.
func BenchmarkLag(b *testing.B) {
	const gap = time.Millisecond
	waits := map[string]func(time.Duration){
		"nap":   func(d time.Duration) { _ = Wait(context.Background(), d) },
		"sleep": time.Sleep,
	}
	for _, name := range []string{"nap", "sleep"} {
		b.Run(name, func(b *testing.B) {
			var lags []time.Duration
			due := time.Now()
			for b.Loop() {
				due = due.Add(gap)
				waits[name](time.Until(due))
				lags = append(lags, time.Since(due))
			}
			slices.Sort(lags)
			b.ReportMetric(float64(lags[len(lags)/2].Microseconds()), "lag_us_p50")
			b.ReportMetric(float64(lags[len(lags)*99/100].Microseconds()), "lag_us_p99")
		})
	}
}
